//! Files and folders that a command touches.

/// The use of a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a policy must handle each of these")]
pub enum TouchKind {
    /// The file is read.
    Read,
    /// The file is created or changed.
    Write,
    /// The file is removed, or moved away.
    Delete,
    /// Any of these uses: no list describes how the program uses its words.
    Any,
}

/// A file or folder that a command touches, by its words.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TouchedPath {
    pub(super) path: String,
    pub(super) kind: TouchKind,
    pub(super) below: bool,
    pub(super) sure: bool,
    pub(super) from_root: bool,
}

impl TouchedPath {
    /// Returns the path as written in the command, not resolved.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the use of the file or folder.
    pub fn kind(&self) -> TouchKind {
        self.kind
    }

    /// Returns whether everything below a folder is touched, too.
    pub fn reaches_below(&self) -> bool {
        self.below
    }

    /// Returns whether it is certain that the program touches this path. Otherwise the word is possibly not a path,
    /// or the program possibly does not touch it.
    pub fn is_sure(&self) -> bool {
        self.sure
    }

    /// Returns whether the path is relative to the top of the repository, not to the folder in which the
    /// command starts.
    pub fn is_from_root(&self) -> bool {
        self.from_root
    }
}
