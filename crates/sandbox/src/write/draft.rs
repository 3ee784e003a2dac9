//! Drafts: files that are written under a temporary name, locked while their writer lives, and swept after it
//! died.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use cap_fs_ext::{FollowSymlinks, MetadataExt, OpenOptionsFollowExt};
use cap_std::fs::{Dir, File, OpenOptions, Permissions};

use super::place::{Run, with_run};

const START: &str = ".windlass-";
const END: &str = ".tmp";

/// Synced bytes under a temporary name. Dropping the value removes the file unless it was renamed.
#[derive(Debug)]
pub(super) struct Draft<'d> {
    folder: &'d Dir,
    name: PathBuf,
    file: File,
}

impl<'d> Draft<'d> {
    /// Writes a draft. With `permissions`, other users cannot read it before it has them.
    pub(super) fn new(folder: &'d Dir, bytes: &[u8], permissions: Option<&Permissions>) -> io::Result<Self> {
        let mut draft = loop {
            let draft = Self::begin(folder, permissions)?;
            // Another process may have swept it between its creation and the lock.
            if draft.file.metadata()?.nlink() > 0 {
                break draft;
            }
        };
        draft.file.write_all(bytes)?;
        if let Some(permissions) = permissions {
            draft.file.set_permissions(permissions.clone())?;
        }
        draft.file.sync_all()?;
        Ok(draft)
    }

    fn begin(folder: &'d Dir, permissions: Option<&Permissions>) -> io::Result<Self> {
        loop {
            let name = next_name();
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            if permissions.is_some() {
                make_private(&mut options);
            }
            match folder.open_with(&name, &options) {
                Ok(file) => {
                    let draft = Self { folder, name, file };
                    if cfg!(unix) {
                        // The lock belongs to the open file, so it outlives this handle.
                        let _ = draft.file.try_clone()?.into_std().lock();
                    }
                    return Ok(draft);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Sets the owner of the file that the draft replaces, and its group if this user may.
    ///
    /// # Errors
    /// If this user is not permitted to give the file to that owner.
    #[cfg(unix)]
    pub(super) fn keep_owner(&self, old: &File) -> io::Result<()> {
        use cap_std::fs::MetadataExt as _;
        let (old, own) = (old.metadata()?, self.file.metadata()?);
        if old.gid() != own.gid() {
            let _ = std::os::unix::fs::fchown(&self.file, None, Some(old.gid()));
        }
        if old.uid() == own.uid() {
            return Ok(());
        }
        std::os::unix::fs::fchown(&self.file, Some(old.uid()), None)
    }

    #[cfg(not(unix))]
    pub(super) fn keep_owner(&self, _: &File) -> io::Result<()> {
        Ok(())
    }

    /// Copies the access list and the attributes of the file that the draft replaces. Call it after owner and
    /// mode are set.
    ///
    /// # Errors
    /// If the draft cannot have the access list.
    #[cfg(target_os = "linux")]
    pub(super) fn keep_attributes(&self, old: &File) -> io::Result<()> {
        super::attributes::copy(old, &self.file)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn keep_attributes(&self, _: &File) -> io::Result<()> {
        Ok(())
    }

    /// Makes a draft with default mode executable.
    pub(super) fn make_program(&self) -> io::Result<()> {
        self.file.set_permissions(with_run(&self.file.metadata()?.permissions(), Run::Program))
    }

    /// Renames the draft to a name, replacing an existing file of that name, in one step.
    pub(super) fn replace(&self, folder: &Dir, name: &Path) -> io::Result<()> {
        self.folder.rename(&self.name, folder, name)
    }

    /// Gives the draft an unused name with a hard link, which fails if the name exists. A rename would
    /// replace the existing file.
    pub(super) fn claim(&self, folder: &Dir, name: &Path) -> io::Result<()> {
        self.folder.hard_link(&self.name, folder, name)
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        // After a rename the name no longer exists. A file that cannot be removed is swept later.
        let _ = self.folder.remove_file(&self.name);
    }
}

/// A symbolic link under a temporary name. Dropping the value removes it unless it was renamed.
pub(super) struct Link<'d> {
    folder: &'d Dir,
    name: PathBuf,
}

impl<'d> Link<'d> {
    pub(super) fn new(folder: &'d Dir, target: &Path) -> io::Result<Self> {
        loop {
            let name = next_name();
            match link(folder, target, &name) {
                Ok(()) => return Ok(Self { folder, name }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Renames the link to a name, replacing an existing file of that name, in one step.
    pub(super) fn replace(&self, folder: &Dir, name: &Path) -> io::Result<()> {
        self.folder.rename(&self.name, folder, name)
    }
}

impl Drop for Link<'_> {
    fn drop(&mut self) {
        // After a rename the name no longer exists.
        let _ = self.folder.remove_file(&self.name);
    }
}

/// Creates a link. Its target is only data here and is not followed.
#[cfg(unix)]
fn link(folder: &Dir, target: &Path, name: &Path) -> io::Result<()> {
    folder.symlink_contents(target, name)
}

#[cfg(not(unix))]
fn link(_: &Dir, _: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn next_name() -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    PathBuf::from(format!("{START}{}-{count}{END}", std::process::id()))
}

/// Removes the drafts of writers that died, whose locks ended with them.
pub(crate) fn sweep(folder: &Dir) {
    let Ok(entries) = folder.entries() else { return };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    for name in names.filter(|name| name.to_str().is_some_and(is_draft)) {
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        let Ok(file) = folder.open_with(&name, &options) else { continue };
        // Without locks, the draft of a living writer cannot be distinguished from that of a dead one.
        if cfg!(unix) && file.into_std().try_lock().is_ok() {
            let _ = folder.remove_file(&name);
        }
    }
}

/// Returns true if a name has the form of a draft's, which a person would not write.
fn is_draft(name: &str) -> bool {
    let numbers = name.strip_prefix(START).and_then(|rest| rest.strip_suffix(END));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers
        .and_then(|numbers| numbers.split_once('-'))
        .is_some_and(|(process, count)| digits(process) && digits(count))
}

#[cfg(unix)]
fn make_private(options: &mut OpenOptions) {
    use cap_std::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn make_private(_: &mut OpenOptions) {}
