//! The terminal: its modes, its keys, and the painted view.

mod ansi;
mod background;
mod display;
mod hangup;
mod keys;
mod modes;
mod painter;
mod profile;
mod scrollback;
#[cfg(test)]
mod tests;

pub(crate) use self::background::{QUERY, ReportFilter};
pub(crate) use self::display::Display;
pub(crate) use self::hangup::Hangup;
pub(crate) use self::keys::to_input;
pub(crate) use self::modes::{Modes, ScreenBuffer, report_waiting_keys};
pub use self::profile::TerminalProfile;
