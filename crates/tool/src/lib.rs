#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod arc_tool;
mod tool;

#[cfg(feature = "blocking")]
mod blocking;
mod cancellation;
mod context;
mod early;
mod error;
mod growing;
mod human;
mod inspection;
#[cfg(feature = "kit")]
pub mod kit;
mod output;
mod path_gate;
mod showing;

#[cfg(feature = "blocking")]
pub use blocking::run_blocking;
pub use cancellation::{CancellationToken, Cancelled, DropGuard};
pub use context::{Context, Progress};
pub use early::EarlyArguments;
pub use error::{ToolError, describe_error};
pub use growing::GrowingArguments;
pub use human::{AnswerFuture, Human, NoAnswer, Question};
pub use inspection::Inspection;
pub use output::Output;
pub use path_gate::PathGate;
pub use showing::ProgressSink;
pub use tool::{Tool, ToolFuture};
pub use windlass_protocol::Change;
