//! The place of all runs: the state folder, another folder, or a database.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use secrecy::SecretString;
use windlass_store::{Store, StoreKind, StoreUrl, open_store};

use crate::error::Result;

/// The number of ids in one page of the list of runs.
const PAGE: u32 = 1000;

/// The place of all runs. The default is the state folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct AppStore {
    /// A folder other than `runs` in the state folder.
    folder: Option<PathBuf>,
    database: Option<Arc<dyn Store>>,
    /// The address of the store for messages, without a password.
    shown: Option<String>,
    /// The file of the database, which tools must not reach.
    file: Option<PathBuf>,
    secrets: Vec<SecretString>,
}

impl AppStore {
    /// Opens the store at an address.
    pub(crate) fn open(url: &StoreUrl) -> Result<Self> {
        let mut opened = Self { shown: Some(url.to_string()), secrets: url.passwords(), ..Self::default() };
        match url.kind()? {
            StoreKind::Folder(path) => opened.folder = Some(std::path::absolute(path)?),
            StoreKind::Sqlite(path) => {
                opened.file = Some(std::path::absolute(path)?);
                opened.database = Some(open_store(url)?);
            }
            _ => opened.database = Some(open_store(url)?),
        }
        Ok(opened)
    }

    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    pub(crate) fn database(&self) -> Option<&Arc<dyn Store>> {
        self.database.as_ref()
    }

    pub(crate) fn describe(&self) -> Option<&str> {
        self.shown.as_deref()
    }

    /// Returns the passwords of the address, which no output of a run may contain.
    pub(crate) fn secrets(&self) -> &[SecretString] {
        &self.secrets
    }

    /// Returns the folder or the files of the store. The tools of a run must not reach them: a program that could
    /// write there could approve its own calls. SQLite has two more files beside its own.
    pub(crate) fn list_files(&self) -> Vec<PathBuf> {
        let beside = |ending: &str| {
            let file = self.file.as_ref()?;
            let mut name = file.file_name()?.to_os_string();
            name.push(ending);
            Some(file.with_file_name(name))
        };
        let files = ["", "-wal", "-shm"].into_iter().filter_map(beside);
        files.chain(self.folder.clone()).collect()
    }

    /// Returns the ids of all runs in the database in ascending order.
    pub(crate) fn list(database: &Arc<dyn Store>) -> Result<Vec<String>> {
        let mut ids: Vec<String> = Vec::new();
        loop {
            let page = database.list_runs(ids.last().map(String::as_str), PAGE)?;
            let is_last = page.len() < PAGE as usize;
            ids.extend(page);
            if is_last {
                return Ok(ids);
            }
        }
    }
}
