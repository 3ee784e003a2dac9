#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "processes are started here, with files of their own")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod processes;
mod service;
mod set;
mod shell;

mod code;
mod command;
mod command_output;
mod in_terminal;
mod input;
mod sessions;

mod asked;
mod git;
mod programs;
mod site;

mod kept;
mod launch;
mod page;
mod report;
mod running;
mod screen;
mod stream;
mod terminal;
mod tree;
mod visible;

pub use code::ExecuteCode;
pub use command::RunCommand;
pub use command_output::ReadCommandOutput;
pub use in_terminal::RunInTerminal;
pub use input::SendInput;
pub use processes::{ProcessBounds, Processes};
pub use service::{Service, ServiceCommand, ServiceEnds};
pub use sessions::{EndProcess, ListSessions, ReadSession};
pub use set::{tools, tools_of, tools_with};
pub use shell::Shell;
