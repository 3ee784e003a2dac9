//! Files and folders that a command touches.

/// What happens to a file or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a policy must say what each of these means to it")]
pub enum TouchKind {
    /// It is read.
    Read,
    /// It is made or changed.
    Write,
    /// It is removed, or moved away.
    Delete,
    /// Any of these: no list here says what the program does with its words.
    Any,
}

/// A file or a folder that a command touches, as its words say it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Touched {
    pub(super) path: String,
    pub(super) kind: TouchKind,
    pub(super) below: bool,
    pub(super) sure: bool,
    pub(super) from_root: bool,
}

impl Touched {
    /// Returns the path as the command has it, not resolved.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns what happens to it.
    pub fn kind(&self) -> TouchKind {
        self.kind
    }

    /// Returns whether everything below it is touched, too, if it is a folder.
    pub fn reaches_below(&self) -> bool {
        self.below
    }

    /// Returns whether the program does this by what is known about it. Otherwise a word may be a path or not, and the
    /// program may touch it or not.
    pub fn is_sure(&self) -> bool {
        self.sure
    }

    /// Returns whether the path begins at the top of the repository and not in the folder in which the command starts.
    pub fn is_from_root(&self) -> bool {
        self.from_root
    }
}
