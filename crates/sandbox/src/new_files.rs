//! Files whose modes changed since a command began. They are found after its end by their change time
//! (ctime), which no system call can set.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, Metadata};

use crate::scan::tree::Root;
use crate::scan::{FETCHED, STORES};

/// The maximum number of names read, the maximum depth, and the number of paths in each list.
const NAMES: usize = 200_000;
const DEPTH: usize = 64;
const LISTED: usize = 10;
/// The kernel's timestamps advance in steps of up to this, so a file may seem older than it is.
const TICK: Duration = Duration::from_millis(10);

/// The files of a workspace that a command created or changed and whose modes matter outside the workspace.
/// Each list holds the first paths, relative to the workspace and sorted; its count is that of all.
///
/// ```
/// # #[cfg(unix)] {
/// use std::os::unix::fs::PermissionsExt;
/// use windlass_sandbox::NewFiles;
/// let folder = tempfile::tempdir()?;
/// let began = std::time::SystemTime::now();
/// std::fs::write(folder.path().join("run.sh"), "#!/bin/sh\n")?;
/// std::fs::set_permissions(folder.path().join("run.sh"), PermissionsExt::from_mode(0o755))?;
/// let new = NewFiles::scan_since(folder.path(), began);
/// assert_eq!((new.programs, new.program_count), (vec!["run.sh".into()], 1));
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewFiles {
    /// Regular files with the setuid or setgid bit.
    pub privileged: Vec<PathBuf>,
    /// The number of such files.
    pub privileged_count: usize,
    /// Files, and folders without the sticky bit, that every user may write.
    pub world_writable: Vec<PathBuf>,
    /// The number of such files and folders.
    pub world_writable_count: usize,
    /// Executable files, except in folders with built or fetched files and of version control.
    pub programs: Vec<PathBuf>,
    /// The number of such files.
    pub program_count: usize,
    /// True if the workspace has more names than the limit.
    pub is_cut: bool,
}

impl NewFiles {
    /// Scans a workspace, in bounded time. Systems other than Unix do not have such modes, so the result is
    /// empty there.
    pub fn scan_since(workspace: &Path, began: SystemTime) -> Self {
        let mut new = Self::default();
        new.is_cut = walk(workspace, began, |_, file| new.note(file));
        for list in [&mut new.privileged, &mut new.world_writable, &mut new.programs] {
            list.sort_unstable();
            list.truncate(LISTED);
        }
        new
    }

    fn note(&mut self, file: &ChangedEntry<'_>) {
        let path = || file.path.to_path_buf();
        if !file.is_folder && file.mode & 0o6000 != 0 {
            self.privileged_count += 1;
            keep(&mut self.privileged, path());
        }
        if file.mode & 0o002 != 0 && (!file.is_folder || file.mode & 0o1000 == 0) {
            self.world_writable_count += 1;
            keep(&mut self.world_writable, path());
        }
        if !file.is_folder && file.mode & 0o111 != 0 && !file.is_fetched {
            self.program_count += 1;
            keep(&mut self.programs, path());
        }
    }
}

/// Adds a path to a list with a limit that is high enough for the first paths to be among them in most cases.
fn keep(list: &mut Vec<PathBuf>, path: PathBuf) {
    if list.len() < 100 * LISTED {
        list.push(path);
    }
}

/// Removes the setuid and setgid bits from new regular files below a folder.
#[cfg(target_os = "linux")]
pub(crate) fn clear_bits(folder: &Path, began: SystemTime) {
    walk(folder, began, |dir, file| {
        if !file.is_folder && file.mode & 0o6000 != 0 {
            // A file that cannot be changed belongs to another user, so its bits do not affect this user.
            let _ = strip_mode_bits(dir, file.path);
        }
    });
}

/// Works on a handle, because another process may have replaced the name by a link.
#[cfg(target_os = "linux")]
fn strip_mode_bits(dir: &Dir, path: &Path) -> std::io::Result<()> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{FileType, Mode, OFlags, fstat, openat};

    let name = path.file_name().unwrap_or_default();
    let file = openat(dir, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    let found = fstat(&file)?;
    if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
        return Ok(());
    }
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(found.st_mode & 0o1777);
    std::fs::set_permissions(format!("/proc/self/fd/{}", file.as_raw_fd()), permissions)
}

/// A regular file or a folder that was created or changed.
struct ChangedEntry<'p> {
    path: &'p Path,
    mode: u32,
    is_folder: bool,
    /// True if it is in a folder with built or fetched files, or of version control.
    is_fetched: bool,
}

/// Visits all files and folders that were created or changed since `began`. Returns true if names were left
/// out.
fn walk(root: &Path, began: SystemTime, mut visit: impl FnMut(&Dir, &ChangedEntry<'_>)) -> bool {
    let Ok(root) = Root::open(root) else { return false };
    let since = began.checked_sub(TICK).unwrap_or(began);
    // Visit the workspace's own folders before the folders with many names.
    let (mut own, mut fetched) = (vec![PathBuf::new()], Vec::new());
    let (mut seen, mut is_cut) = (0_usize, false);
    loop {
        let (path, is_fetched) = match (own.pop(), fetched.pop()) {
            (Some(path), later) => {
                fetched.extend(later);
                (path, false)
            }
            (None, Some(path)) => (path, true),
            (None, None) => return is_cut,
        };
        let Ok(dir) = root.folder(&path) else { continue };
        let Ok(entries) = dir.entries() else { continue };
        for entry in entries.filter_map(Result::ok) {
            seen += 1;
            if seen > NAMES {
                return true;
            }
            let Ok(metadata) = entry.metadata() else { continue };
            let (name, is_folder) = (entry.file_name(), metadata.is_dir());
            let below = path.join(&name);
            if (is_folder || metadata.is_file())
                && let Some((mode, changed)) = mode_of(&metadata)
                && changed >= since
            {
                visit(&dir, &ChangedEntry { path: &below, mode, is_folder, is_fetched });
            }
            if !is_folder {
                continue;
            }
            if below.components().count() > DEPTH {
                is_cut = true;
            } else if is_fetched || FETCHED.iter().chain(&STORES).any(|known| name == *known) {
                fetched.push(below);
            } else {
                own.push(below);
            }
        }
    }
}

/// Returns the mode of a file and the time of its last change.
#[cfg(unix)]
fn mode_of(metadata: &Metadata) -> Option<(u32, SystemTime)> {
    use cap_std::fs::MetadataExt;
    let (seconds, nanos) = (metadata.ctime().try_into().ok()?, metadata.ctime_nsec().try_into().ok()?);
    Some((metadata.mode(), SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))?))
}

#[cfg(not(unix))]
fn mode_of(_: &Metadata) -> Option<(u32, SystemTime)> {
    None
}
