//! The terminal: its modes, its keys, and the painted view.

mod ansi;
mod keys;
mod modes;
mod painter;
mod profile;
#[cfg(test)]
mod tests;

pub(crate) use self::keys::to_input;
pub(crate) use self::modes::Modes;
pub(crate) use self::painter::Painter;
pub use self::profile::TerminalProfile;
