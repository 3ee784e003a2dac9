//! Conformance tests for the extension points of programs.

mod approver;
mod checkpointer;
mod hook;
mod question;
mod rule;
mod summarizer;

pub use windlass_hitl::kit::{PolicyCodeRule, check_policy_check, check_policy_permit};
pub use windlass_journal::kit::{Violation, check_async_journal, check_journal};
pub use windlass_protocol::kit::RuleViolation;
pub use windlass_stream::kit::{ModelRule, check_chunks, check_model};
pub use windlass_tokens::kit::check_tokenizer;
pub use windlass_tool::kit::{ToolRule, check_tool};

pub use approver::{check_approver, check_automatic_approver};
pub use checkpointer::check_checkpointer;
pub use hook::{HookExamples, check_hook};
pub use rule::{ApproverRule, CheckpointerRule, HookRule, SummarizerRule};
pub use summarizer::check_summarizer;
