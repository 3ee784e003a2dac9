//! The files in which a gateway keeps what must outlive its process.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use windlass_gateway::{Front, RecordFile, RecordFileError};

use crate::output;

/// Time between two looks for failed writes.
const INTERVAL: Duration = Duration::from_secs(5);

/// The paths of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KeptPaths<'a> {
    pub(super) client_keys: Option<&'a Path>,
    /// Default: beside the keys of clients.
    pub(super) usage: Option<&'a Path>,
    /// Default: beside the keys of clients.
    pub(super) stored_ids: Option<&'a Path>,
}

/// The files of a gateway that serves.
#[derive(Debug, Default)]
pub(super) struct KeptFiles(Vec<KeptFile>);

#[derive(Debug)]
struct KeptFile {
    /// What the file keeps, with its verb.
    content: &'static str,
    file: RecordFile,
}

impl KeptFiles {
    /// Opens the files of a front.
    ///
    /// # Errors
    /// A file that the user named cannot be used. A failure of one with a default path is a note.
    pub(super) fn open(front: &Front, paths: KeptPaths<'_>) -> anyhow::Result<Self> {
        let mut files = Self::default();
        let KeptPaths { client_keys, usage, stored_ids } = paths;
        files
            .add("the use of budgets is", usage, client_keys, "usage.jsonl", |path| front.keep_usage(path))?;
        files.add(
            "the ids of stored responses are",
            stored_ids,
            client_keys,
            "stored-ids.jsonl",
            |path| front.keep_stored_ids(path),
        )?;
        Ok(files)
    }

    fn add(
        &mut self,
        content: &'static str,
        named: Option<&Path>,
        client_keys: Option<&Path>,
        extension: &str,
        open: impl FnOnce(&Path) -> Result<RecordFile, RecordFileError>,
    ) -> anyhow::Result<()> {
        let default = || client_keys.map(|keys| keys.with_extension(extension));
        let Some(path) = named.map(PathBuf::from).or_else(default) else { return Ok(()) };
        match open(&path).with_context(|| format!("{} cannot be used", path.display())) {
            Ok(file) => {
                note_damage(&file);
                self.0.push(KeptFile { content, file });
                Ok(())
            }
            Err(error) if named.is_none() => {
                output::note(&format!("warning: {content} not kept over a restart: {error:#}"));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Reports the first failed write of each file, until the future is dropped.
    pub(super) async fn watch(&self) {
        let mut open: Vec<&KeptFile> = self.0.iter().collect();
        loop {
            tokio::time::sleep(INTERVAL).await;
            open.retain(|KeptFile { content, file }| {
                let has_failed = file.failures() > 0;
                if has_failed {
                    let path = file.path().display();
                    output::note(&format!("error: {path} cannot be written, so {content} not kept"));
                }
                !has_failed
            });
        }
    }
}

fn note_damage(file: &RecordFile) {
    let damaged = file.count_damaged_lines();
    if damaged > 0 {
        output::note(&format!(
            "warning: {} has {damaged} damaged lines, which are left out; {} is a copy of it",
            file.path().display(),
            file.backup_path().display()
        ));
    }
}
