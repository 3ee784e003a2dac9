//! Paths that a child must not change, and what stands in their place while they are missing.

use std::path::{Path, PathBuf};

/// A path that stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Protected {
    pub(crate) path: PathBuf,
    pub(crate) stand_in: StandIn,
}

/// A path that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hidden {
    pub(crate) path: PathBuf,
    /// Device and inode of the file that is meant, where they are known.
    pub(crate) identity: Option<(u64, u64)>,
}

/// What the helper puts in the place of a missing protected path while the child runs. A missing path cannot be
/// mounted over, and a program that reads the path must read the stand-in as "nothing is set here".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StandIn {
    /// An empty folder.
    Folder,
    /// An empty file, for programs that stop at a folder in its place.
    File,
    /// The file `commondir` of a repository that shares nothing. Git stops at an empty one, so the file names the
    /// repository itself.
    CommonFolder,
}

impl StandIn {
    pub(crate) const ALL: [Self; 3] = [Self::Folder, Self::File, Self::CommonFolder];

    /// The name of the option by which the helper receives such a path.
    pub(crate) fn option(self) -> &'static str {
        match self {
            Self::Folder => "--protect",
            Self::File => "--protect-file",
            Self::CommonFolder => "--protect-commondir",
        }
    }

    /// The bytes of the file; `None` for a folder.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "no helper makes stand-ins here"))]
    pub(crate) fn bytes(self) -> Option<&'static [u8]> {
        match self {
            Self::Folder => None,
            Self::File => Some(b""),
            Self::CommonFolder => Some(b".\n"),
        }
    }
}

impl Protected {
    pub(crate) fn new(path: impl Into<PathBuf>, stand_in: StandIn) -> Self {
        Self { path: path.into(), stand_in }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
