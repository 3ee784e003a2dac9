//! The errors of opening a workspace and of file operations.

use std::io;
use std::path::PathBuf;

use windlass_protocol::ErrorText;

use crate::{Kind, PathError};

/// The reason why a folder cannot be opened as a workspace, as a message for a human.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// The folder does not exist.
    #[error("the workspace {} does not exist; make the folder or name another one", .path.display())]
    Missing {
        /// The requested folder.
        path: PathBuf,
    },
    /// The path exists and is not a folder.
    #[error("the workspace {} is not a folder", .path.display())]
    NotAFolder {
        /// The requested path.
        path: PathBuf,
    },
    /// The folder cannot be opened or listed.
    #[error("the workspace {} cannot be read", .path.display())]
    Unreadable {
        /// The requested folder.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// Files cannot be created in the folder.
    #[error("the workspace {} cannot be written; change its owner or mode, or open it for reading only", .path.display())]
    Unwritable {
        /// The requested folder.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
}

/// The reason why a file operation was refused or failed. The text describes the problem; [`FileError::advice`] is the
/// next step for the model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The path is not a path inside the workspace.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The path does not exist.
    #[error("`{path}` does not exist")]
    NotFound {
        /// The requested path.
        path: String,
    },
    /// The operation needs a file, and the path is something else.
    #[error("`{path}` is {kind}, expected a regular file")]
    NotAFile {
        /// The requested path.
        path: String,
        /// The kind of the path.
        kind: Kind,
    },
    /// The operation needs a folder, and the path is something else.
    #[error("`{path}` is not a folder")]
    NotAFolder {
        /// The requested path.
        path: String,
    },
    /// The operation needs an empty folder, and the folder is not empty.
    #[error("`{path}` is a folder that is not empty")]
    NotEmpty {
        /// The requested path.
        path: String,
    },
    /// The file is too long to be read into memory.
    #[error("`{path}` has {len} bytes, at most {limit} are read")]
    TooLarge {
        /// The requested path.
        path: String,
        /// The file's length in bytes.
        len: u64,
        /// The maximum length in bytes.
        limit: u64,
    },
    /// A link in the path leads out of the workspace or has an absolute target.
    #[error("`{path}` leads outside the workspace through a link, or through a link with an absolute target")]
    Escape {
        /// The requested path.
        path: String,
    },
    /// A link leads to a hidden name that the path does not contain.
    #[error("`{path}` is a link to the hidden path `{target}`")]
    HiddenTarget {
        /// The requested path.
        path: String,
        /// The real path of the target.
        target: String,
    },
    /// A link has no target.
    #[error("`{path}` is a link to nothing")]
    DanglingLink {
        /// The requested path.
        path: String,
    },
    /// The file has several hard links. A write would replace only one of them.
    #[error("`{path}` is hard-linked under {links} names, and a write would leave the others behind")]
    HardLinked {
        /// The requested path.
        path: String,
        /// The number of hard links.
        links: u64,
    },
    /// The file has the setuid or setgid bit.
    #[error("`{path}` is a setuid or setgid file; it is not changed here")]
    Privileged {
        /// The requested path.
        path: String,
    },
    /// The file is not the version that the caller expects.
    #[error("`{path}` changed since it was read")]
    Stale {
        /// The requested path.
        path: String,
    },
    /// The file has changes in the editor that are not saved, and cannot be changed with them.
    #[error("`{path}` has unsaved changes in the editor, and {reason}; nothing was changed")]
    Unsaved {
        /// The requested path.
        path: String,
        /// The reason why the text of the editor is not changed.
        reason: &'static str,
        /// The next step for the model, as a sentence.
        advice: Option<&'static str>,
    },
    /// The editor did not confirm a change.
    #[error("`{path}` was changed through the editor, which did not confirm it ({reason})")]
    Editor {
        /// The requested path.
        path: String,
        /// The message of the editor.
        reason: String,
    },
    /// Another process holds the file's lock.
    #[error("`{path}` is being changed by another process")]
    Busy {
        /// The requested path.
        path: String,
    },
    /// The operation does not apply to the workspace's root.
    #[error("this is the workspace itself, which cannot be removed")]
    Root,
    /// The folder has more entries than the limit.
    #[error("`{path}` has more than {limit} entries")]
    TooMany {
        /// The requested path.
        path: String,
        /// The limit.
        limit: usize,
    },
    /// A file with this path already exists.
    #[error("`{path}` exists already")]
    Exists {
        /// The requested path.
        path: String,
    },
    /// The path is read-only.
    #[error("`{path}` may only be read")]
    ReadOnly {
        /// The requested path.
        path: String,
    },
    /// The workspace has no folder of spilled outputs.
    #[error("`{path}` does not exist: this run stores no spilled outputs")]
    NoOutputs {
        /// The requested path.
        path: String,
    },
    /// Another error of the system.
    #[error("`{path}`: {source}")]
    Io {
        /// The requested path.
        path: String,
        /// The system's error.
        source: io::Error,
    },
}

impl FileError {
    /// Returns the next step for the model, as a sentence.
    pub fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::Path(error) => return error.advice().map(str::to_owned),
            Self::HiddenTarget { target, .. } => {
                return Some(format!("Name `{target}` itself, so that it can be checked."));
            }
            Self::Unsaved { advice, .. } => return advice.map(str::to_owned),
            Self::NotFound { .. } => "List the folder to see its entries.",
            Self::TooLarge { .. } => "Use a search or a command to look at parts of it.",
            Self::Escape { .. } => "Name the real file inside the workspace.",
            Self::DanglingLink { .. } => "Name the file that the link should lead to.",
            Self::HardLinked { .. } => "Ask the human, or copy the file first.",
            Self::Stale { .. } => "Read it again and repeat the change on its current content.",
            Self::Editor { .. } => "Read it again.",
            Self::Busy { .. } => "Try again.",
            Self::Root => "Name a path inside it.",
            Self::TooMany { .. } => "Process its parts one by one.",
            Self::Exists { .. } => "Read it first, then change it.",
            Self::NotAFile { .. }
            | Self::NotAFolder { .. }
            | Self::NotEmpty { .. }
            | Self::Privileged { .. }
            | Self::ReadOnly { .. }
            | Self::NoOutputs { .. }
            | Self::Io { .. } => return None,
        };
        Some(advice.to_owned())
    }

    /// Converts a system error about a path to the matching variant.
    pub(crate) fn from_io(path: &impl ToString, source: io::Error) -> Self {
        let path = path.to_string();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::NotADirectory => Self::NotAFolder { path },
            io::ErrorKind::DirectoryNotEmpty => Self::NotEmpty { path },
            // cap-std creates this error itself when a path leads out; an error of the system has a number.
            io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => Self::Escape { path },
            _ => Self::Io { path, source },
        }
    }
}

impl From<FileError> for ErrorText {
    fn from(error: FileError) -> Self {
        let text = Self::new(error.to_string());
        error.advice().into_iter().fold(text, Self::with_advice)
    }
}
