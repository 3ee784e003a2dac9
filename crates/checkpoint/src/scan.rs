//! Selection of the files for a checkpoint. The walk follows no links, and reads only files that may have
//! changed.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use windlass_command::is_secret_name;
use windlass_sandbox::{Descent, Workspace};

use crate::CheckpointError;
use crate::object::{Object, ObjectKind, Oid};
use crate::omitted::OmittedPaths;
use crate::walk::Walk;

/// Minimum age of a change. A younger file may change again without a different timestamp ("racy" mtime, as
/// in git's index).
const YOUNG: Duration = Duration::from_secs(1);

/// Limits of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckpointLimits {
    /// Maximum size of a file, in bytes; larger files are left out.
    pub file_bytes: u64,
    /// Maximum number of files; a checkpoint of more files fails.
    pub files: u64,
    /// Maximum total size of the files, in bytes; a larger checkpoint fails.
    pub bytes: u64,
}

impl Default for CheckpointLimits {
    fn default() -> Self {
        Self { file_bytes: 10 * 1024 * 1024, files: 100_000, bytes: 4 * 1024 * 1024 * 1024 }
    }
}

impl CheckpointLimits {
    /// Sets the maximum size of a file, in bytes.
    pub fn with_file_bytes(mut self, bytes: u64) -> Self {
        self.file_bytes = bytes;
        self
    }

    /// Sets the maximum number of files.
    pub fn with_files(mut self, files: u64) -> Self {
        self.files = files;
        self
    }
}

/// Numbers of files that were left out, in addition to ignored ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OmittedFiles {
    /// Files with names of secrets.
    pub secrets: u64,
    /// Files larger than [`CheckpointLimits::file_bytes`].
    pub too_large: u64,
    /// Files and folders that could not be read.
    pub unread: u64,
}

/// A file in a checkpoint, with the metadata that shows a later change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownFile {
    pub(crate) object: Object,
    stamp: Option<Stamp>,
}

impl KnownFile {
    /// Returns an entry from a commit, for which the metadata is unknown.
    pub(crate) fn unseen(object: Object) -> Self {
        Self { object, stamp: None }
    }
}

/// Files of a checkpoint, by path.
pub(crate) type Names = BTreeMap<PathBuf, KnownFile>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    len: u64,
    mode: u32,
    inode: u64,
    times: (i64, i64, i64, i64),
}

/// A walk through a workspace, with its results so far.
pub(crate) struct Scan<'s> {
    workspace: &'s Workspace,
    descent: Descent<'s>,
    limits: CheckpointLimits,
    before: &'s Names,
    pub(crate) now: Names,
    pub(crate) left_out: OmittedFiles,
    pub(crate) omitted: OmittedPaths,
    bytes: u64,
    begin: SystemTime,
}

impl<'s> Scan<'s> {
    pub(crate) fn new(workspace: &'s Workspace, limits: CheckpointLimits, before: &'s Names) -> Self {
        let begin = SystemTime::now();
        let descent = Descent::new(workspace);
        let (now, left_out, omitted) = (Names::new(), OmittedFiles::default(), OmittedPaths::default());
        Self { workspace, descent, limits, before, now, left_out, omitted, bytes: 0, begin }
    }

    /// Walks through the workspace. Calls `changed` with the content of each file that is new or has changed.
    pub(crate) fn run(
        &mut self,
        mut changed: impl FnMut(Oid, &[u8]) -> std::io::Result<()>,
    ) -> Result<std::io::Result<()>, CheckpointError> {
        let mut walk = Walk::new(self.workspace);
        while let Some(names) = walk.next() {
            // A folder that cannot be read counts as one unread file.
            self.left_out.unread += u64::from(names.is_err());
            for below in names.into_iter().flatten() {
                if let Err(error) = self.entry(below, &mut changed)? {
                    return Ok(Err(error));
                }
            }
        }
        self.omitted.folders = walk.omitted.folders;
        self.omitted.files.extend(walk.omitted.files);
        // A file in the last checkpoint is kept even if a `.gitignore` names it now.
        let missing: Vec<_> =
            self.before.keys().filter(|path| !self.now.contains_key(*path)).cloned().collect();
        for below in missing {
            if !has_git(&below)
                && self.is_plain(&below)
                && let Err(error) = self.entry(below, &mut changed)?
            {
                return Ok(Err(error));
            }
        }
        self.omitted.files.retain(|path| !self.now.contains_key(path));
        Ok(Ok(()))
    }

    fn entry(
        &mut self,
        below: PathBuf,
        changed: &mut impl FnMut(Oid, &[u8]) -> std::io::Result<()>,
    ) -> Result<std::io::Result<()>, CheckpointError> {
        let Ok(found) = self.workspace.root().join(&below).symlink_metadata() else { return Ok(Ok(())) };
        if !found.is_file() && !found.is_symlink() {
            return Ok(Ok(()));
        }
        if below.iter().any(|name| is_secret_name(&name.to_string_lossy())) {
            self.left_out.secrets += 1;
            self.omitted.files.insert(below);
            return Ok(Ok(()));
        }
        if found.len() > self.limits.file_bytes {
            self.left_out.too_large += 1;
            self.omitted.files.insert(below);
            return Ok(Ok(()));
        }
        self.count(found.len())?;
        let stamp = Stamp::from_metadata(&found);
        let known = self.before.get(&below);
        if let Some(known) = known.filter(|known| known.stamp == Some(stamp)) {
            self.now.insert(below, *known);
            return Ok(Ok(()));
        }
        let Some((kind, bytes)) = self.read(&below, found.is_symlink(), is_program(&found)) else {
            self.left_out.unread += 1;
            self.omitted.files.insert(below);
            return Ok(Ok(()));
        };
        let oid = Oid::hash_blob(&bytes);
        // The last checkpoint has the unchanged content of this path, so it is not written again.
        let is_new = known.is_none_or(|known| known.object.oid != oid);
        let stamp = self.is_settled(&found).then_some(stamp);
        self.now.insert(below, KnownFile { object: Object { kind, oid }, stamp });
        Ok(if is_new { changed(oid, &bytes) } else { Ok(()) })
    }

    /// Returns true if all parents of a path are still folders, and not links or files in their place.
    fn is_plain(&self, below: &Path) -> bool {
        below.ancestors().skip(1).all(|folder| {
            !self.now.contains_key(folder)
                && self.workspace.root().join(folder).symlink_metadata().is_ok_and(|found| found.is_dir())
        })
    }

    /// Reads by handle below the root, so that a concurrent replacement of a folder cannot redirect it.
    fn read(&mut self, below: &Path, is_link: bool, is_program: bool) -> Option<(ObjectKind, Vec<u8>)> {
        if is_link {
            let target = self.descent.link(below).ok()?;
            return Some((ObjectKind::Link, target.into_os_string().into_encoded_bytes()));
        }
        let stream = self.descent.stream(below).ok()?;
        let mut bytes = Vec::with_capacity(usize::try_from(stream.len()).unwrap_or_default());
        stream.take(self.limits.file_bytes.saturating_add(1)).read_to_end(&mut bytes).ok()?;
        let kind = if is_program { ObjectKind::Program } else { ObjectKind::File };
        (bytes.len() as u64 <= self.limits.file_bytes).then_some((kind, bytes))
    }

    fn count(&mut self, len: u64) -> Result<(), CheckpointError> {
        let too_much = |what, limit| Err(CheckpointError::TooMuch { what, limit });
        self.bytes = self.bytes.saturating_add(len);
        if self.bytes > self.limits.bytes {
            return too_much("bytes", self.limits.bytes);
        }
        if self.now.len() as u64 >= self.limits.files {
            return too_much("files", self.limits.files);
        }
        Ok(())
    }

    /// Returns true if a later change of the file will change its timestamps.
    fn is_settled(&self, found: &std::fs::Metadata) -> bool {
        let Some(young) = self.begin.checked_sub(YOUNG) else { return false };
        let is_before = |time: Option<SystemTime>| time.is_some_and(|time| time < young);
        is_before(found.modified().ok()) && is_before(change_time(found))
    }
}

fn has_git(below: &Path) -> bool {
    below.iter().any(|name| name == ".git")
}

#[cfg(unix)]
impl Stamp {
    fn from_metadata(found: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let times = (found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec());
        Self { len: found.len(), mode: found.mode(), inode: found.ino(), times }
    }
}

#[cfg(unix)]
fn is_program(found: &std::fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::mode(found) & 0o100 != 0
}

#[cfg(unix)]
fn change_time(found: &std::fs::Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    let seconds = u64::try_from(found.ctime()).ok()?;
    let nanos = u32::try_from(found.ctime_nsec()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
}

/// On other systems only the content shows a change.
#[cfg(not(unix))]
impl Stamp {
    fn from_metadata(found: &std::fs::Metadata) -> Self {
        Self { len: found.len(), mode: 0, inode: 0, times: (0, 0, 0, 0) }
    }
}

#[cfg(not(unix))]
fn is_program(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn change_time(_: &std::fs::Metadata) -> Option<SystemTime> {
    None
}
