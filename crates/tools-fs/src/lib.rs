#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod spec;

mod block;
mod large;
mod notebook;
mod page;
mod paths;
mod read;
mod view;

mod ignored;
mod list;
mod pattern;

mod delete;
#[cfg(feature = "docx")]
mod docx;
mod write;

mod set;

pub use delete::DeleteFile;
pub use list::ListFiles;
pub use read::ReadFile;
pub use set::tools;
pub use write::WriteFile;
