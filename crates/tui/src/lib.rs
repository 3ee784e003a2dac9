#![doc = include_str!("../README.md")]
#![expect(
    clippy::disallowed_methods,
    reason = "this crate owns the terminal, reads the clock and starts an editor"
)]

mod action;
mod complete;
mod composer;
mod driver;
mod guard;
mod input;
mod notice;
mod options;
mod shell;
mod state;
mod terminal;
mod transcript;

pub use self::driver::Conversation;
pub use self::notice::ProgramNotice;
pub use self::options::TuiOptions;
pub use self::shell::CommandRunner;
pub use self::terminal::TerminalProfile;
