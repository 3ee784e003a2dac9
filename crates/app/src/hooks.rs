//! Hooks of files: programs that Claude Code and other agents start at the points of a run, in their documented form.

mod answer;
mod definition;
mod file_hook;
mod load;
mod matcher;
mod notify;
mod process;
mod runner;
mod tool_view;

pub use self::definition::{HookDefinition, HookEvent, HookOwner};
pub use self::load::{HookList, load_hooks};

pub(crate) use self::file_hook::{COMPACT, FileHooks};
pub(crate) use self::notify::NotifyingApprover;
pub(crate) use self::runner::HookRun;
