#![doc = include_str!("../README.md")]

mod error;
mod folder;
mod path;
mod read;
mod version;
mod workspace;
mod write;

pub use error::{FileError, WorkspaceError};
pub use folder::{Entry, Kind};
pub use path::{PathError, WorkspacePath};
pub use read::{Contents, MAX_FILE_BYTES};
pub use version::Version;
pub use workspace::{Access, Workspace};
pub use write::{Expected, Written};
