//! How much a machine can confine: the ladder, and what is missing for the next step of it.

use std::fmt;

/// How a child process is confined, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Own namespaces with a root that holds only what was granted, then Landlock, then seccomp.
    Namespaces,
    /// The same, with the namespaces and the root made by the machine's `bwrap`.
    Bubblewrap,
    /// Landlock and seccomp on the host's own tree: no exceptions inside a granted folder.
    Landlock,
    /// Nothing confines the child.
    None,
}

impl Level {
    const ALL: [Self; 4] = [Self::Namespaces, Self::Bubblewrap, Self::Landlock, Self::None];

    /// Whether the child sees only what was granted: its own files, processes and network.
    pub fn is_apart(self) -> bool {
        self <= Self::Bubblewrap
    }

    /// The word by which a helper is told the level.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
            Self::None => "none",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.word() == word)
    }
}

/// The words that every result carries.
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

/// The part of the machine that confining needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// Starting the helper process at all.
    Helper,
    /// `bwrap` in one of the folders where it is looked for.
    Bubblewrap,
    /// User, mount, process, network and IPC namespaces without root.
    Namespaces,
    /// Mounts inside the own namespace: a new root, a fresh `/proc`.
    Mounts,
    /// Dropping capabilities and setting resource limits.
    Privileges,
    /// Landlock with all rights up to ABI 3.
    Landlock,
    /// A seccomp filter.
    Seccomp,
    /// What was set up did not hold when it was tried.
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

    pub(crate) fn of_words(words: &str) -> Option<Self> {
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

/// One thing that kept a level from being reached.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// The level that was tried.
    pub level: Level,
    /// What failed.
    pub part: Part,
    /// What the system said.
    pub words: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {}: {} failed: {}", self.level, self.part, self.words)
    }
}
