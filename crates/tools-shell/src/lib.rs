#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "this crate starts processes and picks their environment")]

mod command;
mod environment;
mod group;
mod kept;
mod set;
mod stream;

pub use command::RunCommand;
pub use set::tools;
