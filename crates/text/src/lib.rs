#![doc = include_str!("../README.md")]

#[cfg(feature = "decode")]
mod charset;
#[cfg(feature = "decode")]
mod diff;
mod glob;
mod picture;
#[cfg(feature = "decode")]
mod text;

#[cfg(feature = "decode")]
pub use charset::Charset;
#[cfg(feature = "decode")]
pub use diff::{MAX_SHOWN_BYTES, Room, Side, diff};
pub use glob::{Glob, GlobError, rule_lines};
pub use picture::{
    MAX_PICTURE_BYTES, MAX_PICTURE_SIDE, MAX_PICTURES_BYTES, Picture, PictureError, PictureFormat,
};
#[cfg(feature = "decode")]
pub use text::{DisplayText, NotText, Text, Unwritable};
