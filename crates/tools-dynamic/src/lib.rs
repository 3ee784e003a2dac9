#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "the files of the host's folder of tools are read here")]

mod command_tool;
mod file;
mod folder;
mod template;

pub use file::FileProblem;
pub use folder::{FolderOwner, LoadError, Loaded, Refused, load};
