#![doc = include_str!("../README.md")]

mod blocking;
mod delete;
mod diff;
mod image;
mod large;
mod list;
mod pattern;
mod read;
mod set;
mod write;

pub use delete::DeleteFile;
pub use list::ListFiles;
pub use read::ReadFile;
pub use set::tools;
pub use write::WriteFile;
