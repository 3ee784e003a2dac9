//! Conformance tests for the extension points of programs.

pub use windlass_journal::kit::{Violation, check_async_journal, check_journal};
pub use windlass_tokens::kit::check_tokenizer;
