#![doc = include_str!("../README.md")]

mod charset;
mod diff;
mod text;

pub use charset::Charset;
pub use diff::{MAX_SHOWN_BYTES, Room, Side, diff};
pub use text::{NotText, Shown, Text, Unwritable};
