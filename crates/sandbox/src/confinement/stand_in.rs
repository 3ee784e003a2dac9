//! Protected and hidden paths, and the stand-ins for protected paths that do not exist.

use std::path::{Path, PathBuf};

/// A path that the child cannot change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProtectedPath {
    pub(crate) path: PathBuf,
    pub(crate) stand_in: StandIn,
}

/// A path that the child cannot read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HiddenPath {
    pub(crate) path: PathBuf,
    /// Device and inode of the file to hide, if they are known.
    pub(crate) identity: Option<(u64, u64)>,
    /// Device and inode of its folder. The outer helper records them before it starts `bwrap`, which covers paths and not
    /// handles, and the inner one compares them.
    pub(crate) folder: Option<(u64, u64)>,
}

/// The file or folder that the helper puts in the place of a missing protected path while the child runs,
/// because a missing path cannot be mounted over. A program that reads the stand-in has to treat it as
/// "nothing is configured".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StandIn {
    /// An empty folder.
    Folder,
    /// An empty file, for programs that fail on a folder in its place.
    File,
    /// The file `commondir` of a repository without shared parts. Git fails on an empty one, so the file
    /// names the repository itself.
    CommonFolder,
}

impl StandIn {
    pub(crate) const ALL: [Self; 3] = [Self::Folder, Self::File, Self::CommonFolder];

    /// Returns the option by which the helper receives such a path.
    pub(crate) fn option(self) -> &'static str {
        match self {
            Self::Folder => "--protect",
            Self::File => "--protect-file",
            Self::CommonFolder => "--protect-commondir",
        }
    }

    /// Returns the bytes of the file, or `None` for a folder.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "no helper makes stand-ins here"))]
    pub(crate) fn bytes(self) -> Option<&'static [u8]> {
        match self {
            Self::Folder => None,
            Self::File => Some(b""),
            Self::CommonFolder => Some(b".\n"),
        }
    }
}

impl ProtectedPath {
    pub(crate) fn new(path: impl Into<PathBuf>, stand_in: StandIn) -> Self {
        Self { path: path.into(), stand_in }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
