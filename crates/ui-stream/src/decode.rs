//! Decoders of the requests of clients.

mod chat;
mod fields;
mod run_input;
mod values;

pub use self::chat::ChatRequest;
pub use self::run_input::RunInput;
pub use self::values::{AttachedFile, DecodeError, DecodeLimits};
