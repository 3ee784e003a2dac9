//! Why a workspace could not be opened, and why a file operation was refused.

use std::io;
use std::path::PathBuf;

use crate::{Kind, PathError};

/// Why a folder cannot be a workspace. A human reads this.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// Nothing is there.
    #[error("the workspace {} does not exist; make the folder or name another one", .path.display())]
    Missing {
        /// The folder that was asked for.
        path: PathBuf,
    },
    /// Something else is there.
    #[error("the workspace {} is not a folder", .path.display())]
    NotAFolder {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The folder cannot be opened or listed.
    #[error("the workspace {} cannot be read", .path.display())]
    Unreadable {
        /// The folder that was asked for.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Nothing can be made in the folder.
    #[error("the workspace {} cannot be written; change its owner or mode, or open it for reading only", .path.display())]
    Unwritable {
        /// The folder that was asked for.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// Why a file operation was refused or failed, in words for the model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The path is none inside the workspace.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Nothing has this name.
    #[error("`{path}` does not exist; list the folder to see what is there")]
    NotFound {
        /// The path that was asked for.
        path: String,
    },
    /// A file is wanted, something else was met.
    #[error("`{path}` is {kind}, a regular file is wanted")]
    NotAFile {
        /// The path that was asked for.
        path: String,
        /// What was met.
        kind: Kind,
    },
    /// A folder is wanted, something else was met.
    #[error("`{path}` is not a folder")]
    NotAFolder {
        /// The path that was asked for.
        path: String,
    },
    /// A folder without anything in it is wanted.
    #[error("`{path}` is a folder with something in it")]
    NotEmpty {
        /// The path that was asked for.
        path: String,
    },
    /// The file is longer than what is read into memory.
    #[error(
        "`{path}` has {len} bytes, at most {limit} are read; use a search or a command to look at parts of it"
    )]
    TooLarge {
        /// The path that was asked for.
        path: String,
        /// How many bytes it has.
        len: u64,
        /// How many are read.
        limit: u64,
    },
    /// A link on the way leads out, or has an absolute target.
    #[error(
        "`{path}` leads outside the workspace through a link, or through a link with an absolute target; name the real file inside the workspace"
    )]
    Escape {
        /// The path that was asked for.
        path: String,
    },
    /// A link leads to a hidden name that the path does not show.
    #[error(
        "`{path}` is a link to the hidden path `{target}`; name `{target}` itself, so that it can be judged"
    )]
    HiddenTarget {
        /// The path that was asked for.
        path: String,
        /// Where it leads.
        target: String,
    },
    /// A link leads to nothing.
    #[error("`{path}` is a link to nothing; name the file that the link should lead to")]
    DanglingLink {
        /// The path that was asked for.
        path: String,
    },
    /// The file has other names, which a write would cut off.
    #[error(
        "`{path}` is hard-linked under {links} names; a write would leave the others behind, so ask the human, or copy the file first"
    )]
    HardLinked {
        /// The path that was asked for.
        path: String,
        /// How many names the file has.
        links: u64,
    },
    /// The file runs with its owner's rights.
    #[error("`{path}` is a setuid or setgid file; it is not changed here")]
    Privileged {
        /// The path that was asked for.
        path: String,
    },
    /// The file is not what the caller thought it was.
    #[error("`{path}` changed since it was read; read it again and repeat the change on what is there now")]
    Stale {
        /// The path that was asked for.
        path: String,
    },
    /// Another process holds the file.
    #[error("`{path}` is being changed by another process; try again")]
    Busy {
        /// The path that was asked for.
        path: String,
    },
    /// The workspace itself is not a thing in it.
    #[error("this is the workspace itself, which stays; name something in it")]
    Root,
    /// More than is looked at in one step.
    #[error("`{path}` has more than {limit} names in it; work on its parts one by one")]
    TooMany {
        /// The path that was asked for.
        path: String,
        /// How many are looked at.
        limit: usize,
    },
    /// A new file was wanted, but one is there.
    #[error("`{path}` exists already; read it first, then change it")]
    Exists {
        /// The path that was asked for.
        path: String,
    },
    /// Nothing may be written here.
    #[error("`{path}` may only be read")]
    ReadOnly {
        /// The path that was asked for.
        path: String,
    },
    /// Spilled outputs were not set up.
    #[error("`{path}` is not there: this run keeps no spilled outputs")]
    NoOutputs {
        /// The path that was asked for.
        path: String,
    },
    /// The system said no.
    #[error("`{path}`: {source}")]
    Io {
        /// The path that was asked for.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl FileError {
    /// The system's error about a path, as the variant that tells what to do.
    pub(crate) fn from_io(path: &impl ToString, source: io::Error) -> Self {
        let path = path.to_string();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::NotADirectory => Self::NotAFolder { path },
            io::ErrorKind::DirectoryNotEmpty => Self::NotEmpty { path },
            // cap-std makes this error itself when a path leads out; the system's own has a number.
            io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => Self::Escape { path },
            _ => Self::Io { path, source },
        }
    }
}
