#![doc = include_str!("../README.md")]

mod blocking;
mod image;
mod list;
mod read;
mod set;
mod write;

pub use list::ListFiles;
pub use read::ReadFile;
pub use set::tools;
pub use write::WriteFile;
