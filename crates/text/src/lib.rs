#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "decode")]
mod charset;
mod count;
#[cfg(feature = "decode")]
mod diff;
#[cfg(feature = "enclose")]
mod enclose;
mod glob;
mod picture;
mod shorten;
#[cfg(feature = "decode")]
mod text;

#[cfg(feature = "decode")]
pub use charset::Charset;
pub use count::count_noun;
#[cfg(feature = "decode")]
pub use diff::{MAX_SHOWN_BYTES, Room, Side, diff};
#[cfg(feature = "enclose")]
pub use enclose::enclose_external;
pub use glob::{Glob, GlobError, has_buildable_rules, rule_lines};
pub use picture::{
    MAX_PICTURE_BYTES, MAX_PICTURE_SIDE, MAX_PICTURES_BYTES, Picture, PictureError, PictureFormat,
};
pub use shorten::shorten_middle;
#[cfg(feature = "decode")]
pub use text::{DisplayText, NotText, Text, Unwritable};
