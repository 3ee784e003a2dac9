#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "processes are started here, with files of their own")]

mod set;
mod shell;

mod code;
mod command;

mod asked;
mod git;
mod programs;

mod kept;
mod launch;
mod run;
mod stream;
mod tree;
mod visible;

pub use code::ExecuteCode;
pub use command::RunCommand;
pub use set::{tools, tools_with};
pub use shell::Shell;
