#![doc = include_str!("../README.md")]

mod charset;
mod diff;
mod glob;
mod picture;
mod text;

pub use charset::Charset;
pub use diff::{MAX_SHOWN_BYTES, Room, Side, diff};
pub use glob::{Glob, GlobError, rule_lines};
pub use picture::{
    MAX_PICTURE_BYTES, MAX_PICTURE_SIDE, MAX_PICTURES_BYTES, Picture, PictureError, PictureFormat,
};
pub use text::{DisplayText, NotText, Text, Unwritable};
