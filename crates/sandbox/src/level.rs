//! The levels of confinement, and the reasons why a machine does not reach a level.

use std::fmt;

/// The degree to which a child process is confined, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Own namespaces with a root that contains only the grants, then Landlock, then seccomp.
    Namespaces,
    /// Like `Namespaces`, with the namespaces and the root created by the machine's `bwrap`.
    Bubblewrap,
    /// Landlock and seccomp on the host's own file tree. A granted folder cannot have exceptions.
    Landlock,
    /// No confinement.
    None,
}

impl Level {
    const ALL: [Self; 4] = [Self::Namespaces, Self::Bubblewrap, Self::Landlock, Self::None];

    /// Returns true if the child has its own view of files, processes and network, with only the grants in
    /// it.
    pub fn is_apart(self) -> bool {
        self <= Self::Bubblewrap
    }

    /// Returns the name of the level in the helper's arguments.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
            Self::None => "none",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.word() == word)
    }
}

/// The name of the level in every result.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Namespaces => "ns+landlock+seccomp",
            Self::Bubblewrap => "bwrap",
            Self::Landlock => "landlock+seccomp",
            Self::None => "none",
        })
    }
}

/// The parts of the machine that a confinement needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// Starting the helper process.
    Helper,
    /// `bwrap` in one of the folders that are searched for it.
    Bubblewrap,
    /// User, mount, process, network and IPC namespaces without root.
    Namespaces,
    /// Mounts inside the new namespace: a new root, a fresh `/proc`.
    Mounts,
    /// Dropping capabilities and setting resource limits.
    Privileges,
    /// Landlock with all rights up to ABI 3.
    Landlock,
    /// A seccomp filter.
    Seccomp,
    /// The test from inside: the confinement was set up but did not hold.
    Check,
}

impl Part {
    const ALL: [Self; 8] = [
        Self::Helper,
        Self::Bubblewrap,
        Self::Namespaces,
        Self::Mounts,
        Self::Privileges,
        Self::Landlock,
        Self::Seccomp,
        Self::Check,
    ];

    pub(crate) fn from_words(words: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.to_string() == words)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Helper => "helper process",
            Self::Bubblewrap => "bwrap",
            Self::Namespaces => "user namespaces",
            Self::Mounts => "mounts in a user namespace",
            Self::Privileges => "dropping privileges",
            Self::Landlock => "Landlock",
            Self::Seccomp => "seccomp",
            Self::Check => "trial of the confinement",
        })
    }
}

/// The reason why a level was not reached.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LevelFailure {
    /// The level that was tried.
    pub level: Level,
    /// The part that failed.
    pub part: Part,
    /// The error message of the system.
    pub words: String,
}

impl fmt::Display for LevelFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {}: {} failed: {}", self.level, self.part, self.words)
    }
}
