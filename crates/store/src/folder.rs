//! A store in a folder, with one folder for each run: the layout of the runs of `windlass-app`.

mod files;
mod journal_names;
mod lease;
mod message_numbers;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use windlass_journal::{FileJournal, FileJournals, Record};
use windlass_protocol::RawJson;

use self::files::{io_error, list_names, make_folder, read_json, write_new, write_whole};
use self::lease::FolderLease;
use self::message_numbers::message_number;
use crate::name::{check_key, check_plain};
use crate::{ContentHash, Lease, Store, StoreError, StoredOutput};

/// A store in a folder. Each run is a folder with the files `settings.json` and `journal` and the folders
/// `answers`, `inbox`, `outputs` and `nested`, accessible to the user alone.
///
/// A lease is a lock on the file `lease` of the run. The operating system keeps the lock as long as the
/// process of its owner exists, also while it is stopped, and releases it when the process ends. So a lease of
/// a folder has no expiry, and the run of a process that exists cannot be taken over. The file contains the
/// fencing number.
#[derive(Clone, Debug)]
pub struct FolderStore {
    folder: PathBuf,
}

impl FolderStore {
    /// Opens the store in a folder, and creates the folder if necessary.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let folder = folder.into();
        make_folder(&folder)?;
        Ok(Self { folder })
    }

    fn run(&self, run: &str) -> Result<PathBuf, StoreError> {
        let path = self.folder.join(check_plain(run)?);
        let missing =
            || StoreError::NotFound { run: run.to_owned(), store: self.folder.display().to_string() };
        if path.is_dir() { Ok(path) } else { Err(missing()) }
    }
}

fn find_nested(run: &Path) -> FileJournals {
    FileJournals::new(run.join("nested"))
}

fn read_records(path: &Path) -> Result<Vec<Record>, StoreError> {
    if path.exists() { Ok(FileJournal::read(path)?) } else { Ok(Vec::new()) }
}

impl Store for FolderStore {
    fn create_run(&self, run: &str, settings: &RawJson) -> Result<(), StoreError> {
        let path = self.folder.join(check_plain(run)?);
        match std::fs::create_dir(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(StoreError::Exists { run: run.to_owned() });
            }
            Err(source) => return Err(io_error(&path, "made", source)),
        }
        make_folder(&path)?;
        write_whole(&path.join("settings.json"), settings.as_str().as_bytes())
    }

    fn read_settings(&self, run: &str) -> Result<RawJson, StoreError> {
        read_json(&self.run(run)?.join("settings.json"), run, "the settings")
    }

    fn list_runs(&self, after: Option<&str>, limit: u32) -> Result<Vec<String>, StoreError> {
        let names = list_names(&self.folder)?.into_iter().filter(|name| {
            after.is_none_or(|after| name.as_str() > after)
                && self.run(name).is_ok_and(|run| run.join("settings.json").is_file())
        });
        Ok(names.take(limit as usize).collect())
    }

    fn claim(&self, run: &str, _: Duration) -> Result<Arc<dyn Lease>, StoreError> {
        Ok(Arc::new(FolderLease::claim(self.run(run)?, run)?))
    }

    fn read_run_journal(&self, run: &str) -> Result<Vec<Record>, StoreError> {
        read_records(&self.run(run)?.join("journal"))
    }

    fn read_journal(&self, run: &str, key: &str) -> Result<Vec<Record>, StoreError> {
        read_records(&find_nested(&self.run(run)?).path(check_key(key)?))
    }

    fn list_journals(&self, run: &str) -> Result<Vec<String>, StoreError> {
        journal_names::list(&self.run(run)?.join("nested"))
    }

    fn put_answer(&self, run: &str, name: &str, answer: &RawJson) -> Result<(), StoreError> {
        let file = self.run(run)?.join("answers").join(format!("{}.json", check_plain(name)?));
        write_whole(&file, answer.as_str().as_bytes())
    }

    fn read_answers(&self, run: &str) -> Result<Vec<(String, RawJson)>, StoreError> {
        let folder = self.run(run)?.join("answers");
        let names = list_names(&folder)?;
        let answers = names.iter().filter_map(|name| name.strip_suffix(".json")).map(|name| {
            let answer = read_json(&folder.join(format!("{name}.json")), run, "an answer")?;
            Ok((name.to_owned(), answer))
        });
        answers.collect()
    }

    fn push_message(&self, run: &str, message: &RawJson) -> Result<u64, StoreError> {
        let inbox = self.run(run)?.join("inbox");
        make_folder(&inbox)?;
        let lock = message_numbers::lock(&inbox)?;
        let number = message_numbers::read_last(&inbox)?.saturating_add(1);
        write_new(&inbox.join(format!("{number:039}-{}.json", std::process::id())), message.as_str())?;
        drop(lock);
        Ok(number)
    }

    fn read_messages(&self, run: &str) -> Result<Vec<(u64, RawJson)>, StoreError> {
        let inbox = self.run(run)?.join("inbox");
        let names = list_names(&inbox)?;
        let messages = names.iter().filter_map(|name| Some((message_number(name)?, name)));
        messages.map(|(number, name)| Ok((number, read_json(&inbox.join(name), run, "a message")?))).collect()
    }

    fn list_outputs(&self, run: &str) -> Result<Vec<StoredOutput>, StoreError> {
        let folder = self.run(run)?.join("outputs");
        let output = |name: String| {
            let path = folder.join(&name);
            let content = std::fs::read(&path).map_err(|source| io_error(&path, "read", source))?;
            Ok(StoredOutput::new(name, ContentHash::compute(&content)))
        };
        let names = list_names(&folder)?.into_iter().filter(|name| folder.join(name).is_file());
        names.map(output).collect()
    }

    fn read_output(&self, run: &str, hash: &ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        let folder = self.run(run)?.join("outputs");
        for name in list_names(&folder)? {
            let path = folder.join(name);
            let content = std::fs::read(&path).map_err(|source| io_error(&path, "read", source))?;
            if ContentHash::compute(&content) == *hash {
                return Ok(Some(content));
            }
        }
        Ok(None)
    }
}
