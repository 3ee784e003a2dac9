#![doc = include_str!("../README.md")]

mod command;
mod environment;
mod group;
mod kept;
mod set;
mod stream;

pub use command::RunCommand;
pub use set::tools;
