//! The state that a call would run on: files on disk and the confinement of processes.

use serde::{Deserialize, Serialize};

/// The kind of file at a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TargetKind {
    /// The path does not exist.
    #[default]
    Missing,
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A named pipe, a device or a socket.
    Special,
    /// A symbolic link to a target outside the workspace.
    Outside,
}

/// The state of an effect's path on disk. It is inspected before policy decides and again before the call
/// runs.
///
/// ```
/// use windlass_protocol::{Target, TargetKind};
/// let target = Target::missing("src/new.rs");
/// assert_eq!((target.kind, target.resolved.as_str()), (TargetKind::Missing, "src/new.rs"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "tools write it with `..Target::missing(path)`")]
pub struct Target {
    /// The path as declared in the effect.
    pub path: String,
    /// The path with symbolic links resolved, relative to the workspace with `/` as separator.
    pub resolved: String,
    /// The kind of file at the path.
    pub kind: TargetKind,
    /// The number of hard links.
    pub links: u64,
    /// The device number, which together with `inode` identifies the file.
    pub device: u64,
    /// The inode number.
    pub inode: u64,
    /// The SHA-256 digest of the content in hexadecimal digits, if the call depends on the content.
    pub digest: Option<String>,
    /// True if the file belongs to a git repository outside of a `.git` folder, such as a bare repository:
    /// the file is beside a `HEAD`, where git reads configuration and hooks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_repository: bool,
}

impl Target {
    /// Creates the target of a path that does not exist.
    pub fn missing(path: impl Into<String>) -> Self {
        let path = path.into();
        Self { resolved: path.clone(), path, ..Self::default() }
    }
}

/// The change of one file by a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Change {
    /// The path, relative to the workspace.
    pub path: String,
    /// The change as a unified diff.
    pub diff: String,
}

impl Change {
    /// Creates the change of a file from a unified diff.
    pub fn new(path: impl Into<String>, diff: impl Into<String>) -> Self {
        Self { path: path.into(), diff: diff.into() }
    }
}

/// The confinement of a call's processes.
///
/// ```
/// use windlass_protocol::Containment;
/// assert!(Containment::new("ns+landlock+seccomp", Vec::new()).is_full());
/// assert!(!Containment::none().is_full());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "a level and its gaps")]
pub struct Containment {
    /// The level, in the vocabulary of results.
    pub level: String,
    /// The requested restrictions that the level does not enforce, worded for a human.
    pub gaps: Vec<String>,
}

/// The level without any confinement.
const NONE: &str = "none";

impl Containment {
    /// Creates a confinement from its level and its gaps.
    pub fn new(level: impl Into<String>, gaps: Vec<String>) -> Self {
        Self { level: level.into(), gaps }
    }

    /// Creates a confinement that does not restrict anything.
    pub fn none() -> Self {
        Self::new(NONE, vec!["nothing is confined".to_owned()])
    }

    /// Returns whether the process is not confined at all.
    pub fn is_none(&self) -> bool {
        self.level == NONE
    }

    /// Returns whether every requested restriction is enforced.
    pub fn is_full(&self) -> bool {
        self.gaps.is_empty()
    }
}
