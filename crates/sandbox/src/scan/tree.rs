//! Access to the workspace for the scan: folders are opened by handle from the root, without following links.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use cap_fs_ext::{DirExt, FollowSymlinks, MetadataExt, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::content::{self, Content, MOST_BYTES};

/// The identity of a file or folder, independent of its name: device and inode.
pub(crate) type Identity = (u64, u64);

/// A folder's identity, and the time at which a name in it last changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    identity: Identity,
    changed: (i64, i64),
}

impl Stamp {
    fn from_metadata(metadata: &Metadata) -> Self {
        Self { identity: (metadata.dev(), metadata.ino()), changed: change_time(metadata) }
    }

    pub(super) fn is_same_folder(self, other: Self) -> bool {
        self.identity == other.identity
    }

    /// Returns true if the last change is at most `age` old, or up to a second in the future.
    pub(super) fn is_younger(self, age: Duration) -> bool {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let (seconds, nanos) = self.changed;
        let then =
            Duration::new(seconds.try_into().unwrap_or_default(), nanos.try_into().unwrap_or_default());
        // If the clock is wrong by more than that, the time is not usable.
        then > now.saturating_sub(age) && then < now + Duration::from_secs(1)
    }
}

/// Returns the change time (ctime). The kernel updates it with every name that is created, moved or removed,
/// and no system call sets it.
#[cfg(unix)]
fn change_time(metadata: &Metadata) -> (i64, i64) {
    use cap_std::fs::MetadataExt as _;
    (metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn change_time(metadata: &Metadata) -> (i64, i64) {
    let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
    let since =
        modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok()).unwrap_or_default();
    (since.as_secs().try_into().unwrap_or_default(), since.subsec_nanos().into())
}

/// A name in a folder.
pub(super) struct Name {
    pub(super) text: OsString,
    pub(super) is_folder: bool,
    pub(super) is_link: bool,
}

pub(crate) struct Root {
    dir: Dir,
    path: PathBuf,
}

impl Root {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { dir: Dir::open_ambient_dir(path, ambient_authority())?, path: path.to_path_buf() })
    }

    /// Opens a folder below the root, one name at a time. A link on the way is refused.
    pub(crate) fn folder(&self, path: &Path) -> io::Result<Dir> {
        let mut dir = self.dir.try_clone()?;
        for part in path.components() {
            let Component::Normal(part) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
            dir = dir.open_dir_nofollow(part)?;
        }
        Ok(dir)
    }

    /// Returns the names in a folder, and its stamp from before they were read.
    pub(super) fn list(&self, path: &Path) -> io::Result<(Stamp, Vec<Name>)> {
        let dir = self.folder(path)?;
        let stamp = Stamp::from_metadata(&dir.dir_metadata()?);
        let mut names = Vec::new();
        for entry in dir.entries()?.filter_map(Result::ok) {
            let Ok(kind) = entry.file_type() else { continue };
            names.push(Name {
                text: entry.file_name(),
                is_folder: kind.is_dir(),
                is_link: kind.is_symlink(),
            });
        }
        Ok((stamp, names))
    }

    pub(super) fn stamp(&self, path: &Path) -> Option<Stamp> {
        let found = if path.as_os_str().is_empty() {
            self.dir.dir_metadata()
        } else {
            self.dir.symlink_metadata(path)
        };
        found.ok().filter(Metadata::is_dir).as_ref().map(Stamp::from_metadata)
    }

    pub(super) fn identity(&self, path: &Path) -> Option<Identity> {
        let found = self.dir.symlink_metadata(path).ok()?;
        Some((found.dev(), found.ino()))
    }

    /// Returns the real path of the file in the workspace that a link leads to.
    pub(super) fn target(&self, link: &Path) -> Option<PathBuf> {
        let real = self.dir.canonicalize(link).ok().or_else(|| {
            // The handle refuses a link with an absolute target, even if the target is inside.
            let real = self.path.join(link).canonicalize().ok()?;
            real.strip_prefix(&self.path).ok().map(Path::to_path_buf)
        })?;
        self.dir.symlink_metadata(&real).is_ok_and(|found| found.is_file()).then_some(real)
    }

    /// Classifies the contents of a small file. A file that cannot be read counts as plain, because the child
    /// cannot read it either.
    pub(super) fn contents(&self, path: &Path) -> Content {
        let read = || -> io::Result<Vec<u8>> {
            let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
            let dir = self.folder(path.parent().unwrap_or(Path::new("")))?;
            let mut options = OpenOptions::new();
            options.read(true).follow(FollowSymlinks::No).nonblock(true);
            let file = dir.open_with(name, &options)?;
            let found = file.metadata()?;
            let mut bytes = Vec::new();
            if found.is_file() && found.len() <= MOST_BYTES {
                file.take(MOST_BYTES).read_to_end(&mut bytes)?;
            }
            Ok(bytes)
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        read().map_or(Content::Plain, |bytes| content::classify(&name, &bytes))
    }
}
