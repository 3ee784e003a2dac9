#![doc = include_str!("../README.md")]

mod tool;

mod blocking;
mod context;
mod early;
mod error;
mod human;
mod inspection;
mod output;
mod path_gate;
mod showing;

mod arguments;
mod read;
mod schema;

mod growing;
mod mismatch;
mod partial;
mod typed;

#[doc(hidden)]
pub mod derived;

pub use arguments::{ArgumentsUnfit, ToolArgs};
pub use blocking::run_blocking;
pub use context::{Context, Progress};
pub use early::EarlyArguments;
pub use error::ToolError;
pub use growing::{GrowingArguments, PartialReader};
pub use human::{AnswerFuture, Human, NoAnswer, Question};
pub use inspection::Inspection;
pub use mismatch::{Mismatch, Mismatches};
pub use output::Output;
pub use partial::{Begin, Elements, Entries, Partial, PartialValue, Whole};
pub use path_gate::PathGate;
pub use read::read_arguments;
pub use showing::Showing;
pub use tool::{Tool, ToolFuture};
pub use typed::TypedPartial;
pub use windlass_protocol::Change;
pub use windlass_tool_macros::{ToolArgs, tool};
