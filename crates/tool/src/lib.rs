#![doc = include_str!("../README.md")]

mod context;
mod early;
mod error;
mod human;
mod output;
mod read;
mod tool;

pub use context::{Context, Progress};
pub use early::EarlyArguments;
pub use error::ToolError;
pub use human::{AnswerFuture, Human, NoAnswer, Question};
pub use output::Output;
pub use read::read_arguments;
pub use tool::{Tool, ToolFuture};
