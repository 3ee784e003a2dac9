#![doc = include_str!("../README.md")]
#![expect(
    clippy::disallowed_methods,
    reason = "the host's folder of tools is read here, and processes start"
)]

mod command_tool;
mod file;
mod folder;
mod process;
mod process_file;
mod template;

pub use file::FileProblem;
pub use folder::{FolderOwner, LoadError, LoadedTools, RefusedFile, load};
pub use process::{Noise, OfferChange, OmittedTool, ProcessError, ServedProcess, ToolProcess};
