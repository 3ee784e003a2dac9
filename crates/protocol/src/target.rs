//! What a call meets where it would run: files as they are on the disk, and how a process would be confined.

use serde::{Deserialize, Serialize};

/// What stands at a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TargetKind {
    /// Nothing.
    #[default]
    Missing,
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A pipe, a device or a socket.
    Special,
    /// A link that leads out of the workspace.
    Outside,
}

/// What an effect's path meets on the disk, looked at before the call is judged and once more before it runs.
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
    /// The path, as the effect has it.
    pub path: String,
    /// Where it leads when links are followed, relative to the workspace with `/` between names.
    pub resolved: String,
    /// What stands there.
    pub kind: TargetKind,
    /// How many names the file has.
    pub links: u64,
    /// The device and the number by which the system knows the file.
    pub device: u64,
    /// See `device`.
    pub inode: u64,
    /// The SHA-256 of its bytes, in hexadecimal digits, where the call depends on them.
    pub digest: Option<String>,
    /// Whether it lies among the files of a git repository that is no `.git` folder: beside a `HEAD`, where git takes
    /// configuration and hooks from.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_repository: bool,
}

impl Target {
    /// Nothing stands at the path.
    pub fn missing(path: impl Into<String>) -> Self {
        let path = path.into();
        Self { resolved: path.clone(), path, ..Self::default() }
    }
}

/// What a call would change in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Change {
    /// The file, relative to the workspace.
    pub path: String,
    /// The change as a unified diff.
    pub diff: String,
}

impl Change {
    /// A file and its unified diff.
    pub fn new(path: impl Into<String>, diff: impl Into<String>) -> Self {
        Self { path: path.into(), diff: diff.into() }
    }
}

/// How a process of a call would be confined.
///
/// ```
/// use windlass_protocol::Containment;
/// assert!(Containment::new("ns+landlock+seccomp", Vec::new()).is_full());
/// assert!(!Containment::none().is_full());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "a level and what it lacks")]
pub struct Containment {
    /// The level, in the words that results carry.
    pub level: String,
    /// What of the confinement this level cannot give, in words for a human.
    pub gaps: Vec<String>,
}

/// The level at which nothing is confined.
const NONE: &str = "none";

impl Containment {
    /// A level and what it lacks.
    pub fn new(level: impl Into<String>, gaps: Vec<String>) -> Self {
        Self { level: level.into(), gaps }
    }

    /// Nothing is confined.
    pub fn none() -> Self {
        Self::new(NONE, vec!["nothing is confined".to_owned()])
    }

    /// Whether nothing is confined at all.
    pub fn is_none(&self) -> bool {
        self.level == NONE
    }

    /// Whether everything that was asked for holds.
    pub fn is_full(&self) -> bool {
        self.gaps.is_empty()
    }
}
