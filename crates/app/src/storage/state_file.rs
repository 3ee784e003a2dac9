//! State files that are read, changed and written atomically, with a lock between processes.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tempfile::NamedTempFile;
use windlass_client::StorageLock;

use super::bounded;
use crate::config::create_private_folder;
use crate::error::{Context as _, Result, ensure, one_line};
use crate::notices::Notices;

/// A state file that only its user may read and write.
#[derive(Clone, Debug)]
pub(crate) struct StateFile {
    path: PathBuf,
    notices: Notices,
    /// Consequence for the user if the file is renamed as invalid, in words.
    consequence: &'static str,
}

/// Conversion between a value and its text.
pub(crate) struct Format<'a, T> {
    pub(crate) empty: &'a dyn Fn() -> T,
    pub(crate) parse: &'a dyn Fn(&str) -> Result<T>,
    pub(crate) text: &'a dyn Fn(&T) -> Result<String>,
}

impl StateFile {
    pub(crate) fn new(path: impl Into<PathBuf>, notices: &Notices, consequence: &'static str) -> Self {
        Self { path: path.into(), notices: notices.clone(), consequence }
    }

    /// Reads the value, or returns an empty one if the file does not exist.
    ///
    /// A file with invalid content is renamed, with a note.
    ///
    /// # Errors
    ///
    /// Every other failure is an error and leaves the file in place: it may be valid and only unreadable now.
    pub(crate) fn load<T>(&self, form: &Format<'_, T>) -> Result<T> {
        match self.read()?.map(|text| (form.parse)(&text)) {
            None => Ok((form.empty)()),
            Some(Ok(value)) => Ok(value),
            Some(Err(_)) => {
                let _lock = self.lock()?;
                self.load_locked(form)
            }
        }
    }

    /// Reads, changes and writes the value under the lock, so other processes' updates wait.
    pub(crate) fn update<T, R>(
        &self,
        form: &Format<'_, T>,
        change: impl FnOnce(&mut T) -> R,
    ) -> Result<(T, R)> {
        let _lock = self.lock()?;
        let mut value = self.load_locked(form)?;
        let result = change(&mut value);
        write_whole(&self.path, (form.text)(&value)?.as_bytes(), 0o600)?;
        Ok((value, result))
    }

    fn load_locked<T>(&self, form: &Format<'_, T>) -> Result<T> {
        let Some(text) = self.read()? else { return Ok((form.empty)()) };
        match (form.parse)(&text) {
            Ok(value) => Ok(value),
            Err(error) => {
                let aside = self.set_aside()?;
                let (why, aside) = (one_line(&error), aside.display());
                self.notices
                    .inform(format!("{why}; {}, and the old file is kept as {aside}", self.consequence));
                Ok((form.empty)())
            }
        }
    }

    /// Reads the text, or returns `None` if the file does not exist. Fails if the file belongs to another
    /// user, or if its group or other users have any permission.
    fn read(&self) -> Result<Option<String>> {
        let unreadable = || format!("{} cannot be read", self.path.display());
        let about = match fs::symlink_metadata(&self.path) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(unreadable),
        };
        // The lowest six permission bits, for the group and others, are zero.
        let is_private = about.is_file() && about.permissions().mode().trailing_zeros() >= 6;
        let is_own = about.uid() == rustix::process::geteuid().as_raw();
        ensure!(
            is_own && is_private,
            Unavailable,
            "other users can access {}, so it is not used; if its content is yours: chmod 600",
            self.path.display()
        );
        match bounded::read(&self.path, bounded::VALUE_BYTES) {
            // Bytes that are not UTF-8 are also invalid content: the parser reports them.
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(unreadable),
        }
    }

    fn lock(&self) -> Result<StorageLock> {
        let folder = self.path.parent().context("the file has no folder")?;
        let locked = create_private_folder(folder).and_then(|()| StorageLock::lock_folder(folder));
        locked.with_context(|| format!("{} cannot be locked", folder.display()))
    }

    /// Renames a file with invalid content, and returns its new, unused name.
    fn set_aside(&self) -> Result<PathBuf> {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let mut aside = self.path.with_extension(format!("json.corrupt-{seconds}"));
        for number in 2_u32.. {
            if fs::symlink_metadata(&aside).is_err() {
                break;
            }
            aside = self.path.with_extension(format!("json.corrupt-{seconds}-{number}"));
        }
        fs::rename(&self.path, &aside)
            .with_context(|| format!("{} cannot be set aside", self.path.display()))?;
        Ok(aside)
    }
}

/// Replaces a file atomically and durably. Creates its folder with access for the user only.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let unwritable = || format!("{} cannot be written", path.display());
    let folder = path.parent().with_context(unwritable)?;
    create_private_folder(folder).with_context(unwritable)?;
    let mut file = tempfile::Builder::new()
        .prefix(".")
        .permissions(fs::Permissions::from_mode(0o600))
        .tempfile_in(folder)
        .with_context(unwritable)?;
    file.write_all(bytes).with_context(unwritable)?;
    file.as_file().set_permissions(fs::Permissions::from_mode(mode)).with_context(unwritable)?;
    file.as_file().sync_all().with_context(unwritable)?;
    persist(file, path).with_context(unwritable)?;
    // Make the rename durable, too. Ignore errors: the file is written in any case.
    let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Changes a settings file of the user. Follows a link and keeps it, and keeps the mode of the file.
pub(crate) fn change_settings(path: &Path, change: impl FnOnce(&Path) -> Result<String>) -> Result<()> {
    let real = match fs::symlink_metadata(path) {
        Ok(_) => path.canonicalize().with_context(|| {
            format!(
                "the target of the link {} does not \
                 exist",
                path.display()
            )
        })?,
        Err(_) => path.to_owned(),
    };
    let folder = real.parent().context("the file has no folder")?;
    create_private_folder(folder)?;
    let _lock =
        StorageLock::lock_folder(folder).with_context(|| format!("{} cannot be locked", folder.display()))?;
    let text = change(&real)?;
    let mode = fs::metadata(&real).map_or(0o600, |about| about.permissions().mode() & 0o777);
    write_whole(&real, text.as_bytes(), mode)
}
