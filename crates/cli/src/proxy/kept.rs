//! The files in which a gateway keeps what must outlive its process.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use serde::Deserialize;
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
    pub(super) on_usage_error: UsageErrorPolicy,
    /// True if a client has a budget.
    pub(super) has_budgets: bool,
}

/// The treatment of requests of clients with budgets while the use of budgets cannot be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum UsageErrorPolicy {
    /// They are refused.
    #[default]
    Refuse,
    /// They are answered; the failure is reported.
    Report,
}

/// The files of a gateway that serves.
#[derive(Debug, Default)]
pub(super) struct KeptFiles(Vec<KeptFile>);

#[derive(Debug)]
struct KeptFile {
    /// The content of the file, with its verb.
    content: &'static str,
    /// The end of the message about a failed write.
    consequence: &'static str,
    file: RecordFile,
}

/// The path of a file of records.
struct RecordPath {
    path: PathBuf,
    /// True if the server does not start without the file.
    is_required: bool,
}

impl KeptFiles {
    /// Opens the files of a front.
    ///
    /// # Errors
    /// A file cannot be used that the user named, or that the budgets of clients need. Another failure is a note.
    pub(super) fn open(front: &Front, paths: KeptPaths<'_>) -> anyhow::Result<Self> {
        let mut files = Self::default();
        let KeptPaths { client_keys, usage, stored_ids, on_usage_error, has_budgets } = paths;
        let path = RecordPath::new(usage, client_keys, "usage.jsonl");
        let is_required = has_budgets && on_usage_error == UsageErrorPolicy::Refuse;
        let path = path.map(|path| RecordPath { is_required: path.is_required || is_required, ..path });
        let content = "the use of budgets is";
        if let Some(file) = open(content, path, |path| front.keep_usage(path))? {
            let consequence = match on_usage_error {
                UsageErrorPolicy::Refuse => "; requests of clients with budgets are refused",
                UsageErrorPolicy::Report => {
                    file.answer_unrecorded();
                    ", and a restart grants it again"
                }
            };
            files.0.push(KeptFile { content, consequence, file });
        }
        let content = "the ids of stored responses are";
        let path = RecordPath::new(stored_ids, client_keys, "stored-ids.jsonl");
        if let Some(file) = open(content, path, |path| front.keep_stored_ids(path))? {
            files.0.push(KeptFile { content, consequence: "", file });
        }
        Ok(files)
    }

    /// Reports the first failed write of each file, until the future is dropped.
    pub(super) async fn watch(&self) {
        let mut open: Vec<&KeptFile> = self.0.iter().collect();
        loop {
            tokio::time::sleep(INTERVAL).await;
            open.retain(|KeptFile { content, consequence, file }| {
                let has_failed = file.failures() > 0;
                if has_failed {
                    let path = file.path().display();
                    output::note(&format!(
                        "error: {path} cannot be written, so {content} not kept{consequence}"
                    ));
                }
                !has_failed
            });
        }
    }
}

impl RecordPath {
    /// Returns the path that the user named, or else the one beside the keys of clients.
    fn new(named: Option<&Path>, client_keys: Option<&Path>, extension: &str) -> Option<Self> {
        let default = || client_keys.map(|keys| keys.with_extension(extension));
        let path = named.map(PathBuf::from).or_else(default)?;
        Some(Self { path, is_required: named.is_some() })
    }
}

/// Opens a file of records.
fn open(
    content: &str,
    path: Option<RecordPath>,
    keep: impl FnOnce(&Path) -> Result<RecordFile, RecordFileError>,
) -> anyhow::Result<Option<RecordFile>> {
    let Some(RecordPath { path, is_required }) = path else { return Ok(None) };
    match keep(&path).with_context(|| format!("{} cannot be used", path.display())) {
        Ok(file) => {
            note_damage(&file);
            Ok(Some(file))
        }
        Err(error) if !is_required => {
            output::note(&format!("warning: {content} not kept over a restart: {error:#}"));
            Ok(None)
        }
        Err(error) => Err(error),
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
