//! Files that the program keeps: read, changed and written as one step among all processes, whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use tempfile::NamedTempFile;
use windlass_client::StorageLock;

use crate::{bounded, output, runs};

/// A file that only its user may read and write.
#[derive(Clone, Debug)]
pub(crate) struct KeptFile {
    path: PathBuf,
    /// What follows for the user if the file has to be set aside.
    consequence: &'static str,
}

/// How a value is kept as text.
pub(crate) struct Form<'a, T> {
    pub(crate) empty: &'a dyn Fn() -> T,
    pub(crate) parse: &'a dyn Fn(&str) -> anyhow::Result<T>,
    pub(crate) text: &'a dyn Fn(&T) -> anyhow::Result<String>,
}

impl KeptFile {
    pub(crate) fn new(path: impl Into<PathBuf>, consequence: &'static str) -> Self {
        Self { path: path.into(), consequence }
    }

    /// Reads the value; an empty one if there is no file.
    ///
    /// A file that was read whole and is not of this form is set aside, which is reported. Every other failure is an
    /// error and leaves the file alone: it may be a good file that cannot be read now.
    pub(crate) fn load<T>(&self, form: &Form<'_, T>) -> anyhow::Result<T> {
        match self.read()?.map(|text| (form.parse)(&text)) {
            None => Ok((form.empty)()),
            Some(Ok(value)) => Ok(value),
            Some(Err(_)) => {
                let _lock = self.lock()?;
                self.load_locked(form)
            }
        }
    }

    /// Reads the value, changes it and writes it, while every other process that does the same waits.
    pub(crate) fn update<T, R>(
        &self,
        form: &Form<'_, T>,
        change: impl FnOnce(&mut T) -> R,
    ) -> anyhow::Result<(T, R)> {
        let _lock = self.lock()?;
        let mut value = self.load_locked(form)?;
        let result = change(&mut value);
        write_whole(&self.path, (form.text)(&value)?.as_bytes(), 0o600)?;
        Ok((value, result))
    }

    fn load_locked<T>(&self, form: &Form<'_, T>) -> anyhow::Result<T> {
        let Some(text) = self.read()? else { return Ok((form.empty)()) };
        match (form.parse)(&text) {
            Ok(value) => Ok(value),
            Err(error) => {
                let aside = self.set_aside()?;
                output::note(&format!(
                    "{error:#}; {}, and the old file is kept as {}",
                    self.consequence,
                    aside.display()
                ));
                Ok((form.empty)())
            }
        }
    }

    /// The text, if there is one and nobody else could have written it.
    fn read(&self) -> anyhow::Result<Option<String>> {
        let unreadable = || format!("{} cannot be read", self.path.display());
        let about = match fs::symlink_metadata(&self.path) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(unreadable),
        };
        // Nothing for the group and nothing for others.
        let is_private = about.is_file() && about.permissions().mode().trailing_zeros() >= 6;
        let is_own = about.uid() == rustix::process::geteuid().as_raw();
        anyhow::ensure!(
            is_own && is_private,
            "{} is open to others, so it is not used; if its content is yours: chmod 600",
            self.path.display()
        );
        match bounded::read(&self.path, bounded::VALUE_BYTES) {
            // Bytes that are not text are no value either: the parser refuses them with its own words.
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(unreadable),
        }
    }

    fn lock(&self) -> anyhow::Result<StorageLock> {
        let folder = self.path.parent().context("the file has no folder")?;
        let locked = runs::make_private(folder).and_then(|()| StorageLock::of_folder(folder));
        locked.with_context(|| format!("{} cannot be locked", folder.display()))
    }

    /// Renames a file that is not of its form, and returns the new name, which no earlier file has.
    fn set_aside(&self) -> anyhow::Result<PathBuf> {
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

/// Puts a file in the place of the old one, whole or not at all and kept through a power loss. Its folder is made, for
/// the user alone.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], mode: u32) -> anyhow::Result<()> {
    let unwritable = || format!("{} cannot be written", path.display());
    let folder = path.parent().with_context(unwritable)?;
    runs::make_private(folder).with_context(unwritable)?;
    let mut file = tempfile::Builder::new()
        .prefix(".")
        .permissions(fs::Permissions::from_mode(0o600))
        .tempfile_in(folder)
        .with_context(unwritable)?;
    file.write_all(bytes).with_context(unwritable)?;
    file.as_file().set_permissions(fs::Permissions::from_mode(mode)).with_context(unwritable)?;
    file.as_file().sync_all().with_context(unwritable)?;
    persist(file, path).with_context(unwritable)?;
    // The new name is kept, too. A folder that cannot be synced has the file all the same.
    let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// A settings file of the user that is changed: what a link leads to is changed and the link stays, and so does the
/// mode.
pub(crate) fn change_settings(
    path: &Path,
    change: impl FnOnce(&Path) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    let real = match fs::symlink_metadata(path) {
        Ok(_) => path.canonicalize().with_context(|| format!("{} leads nowhere", path.display()))?,
        Err(_) => path.to_owned(),
    };
    let folder = real.parent().context("the file has no folder")?;
    runs::make_private(folder)?;
    let _lock =
        StorageLock::of_folder(folder).with_context(|| format!("{} cannot be locked", folder.display()))?;
    let text = change(&real)?;
    let mode = fs::metadata(&real).map_or(0o600, |about| about.permissions().mode() & 0o777);
    write_whole(&real, text.as_bytes(), mode)
}
