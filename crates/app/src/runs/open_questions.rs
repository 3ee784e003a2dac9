//! The open questions of a suspended run, read from its journal and from those of its sub-agents and steps.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use windlass_agent::{Entry, InterruptId, Outcome, Wait};
use windlass_hitl::ApprovalRequest;
use windlass_journal::{FileJournal, FileJournals, Record};
use windlass_protocol::CallId;
#[cfg(feature = "workflow")]
use windlass_workflow::WorkflowOutcome;

use super::RunFolder;
use super::shared_run::SharedRun;
use crate::error::Result;

/// The open questions of a run, read from its journal.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct OpenQuestions {
    /// Open approvals, in the order of their calls.
    pub questions: Vec<ApprovalRequest>,
    /// Ids of deferred calls whose results are missing.
    pub results: Vec<CallId>,
    /// The question of an open consultation: how the run should continue.
    pub guidance: Option<String>,
    /// Id of the open consultation.
    pub consultation: InterruptId,
    /// Number of answered consultations. Answers of earlier versions lack an id and identify the consultation
    /// by this number.
    pub guided: u64,
    /// True if the last entry of the journal is an outcome, `Suspended` included.
    pub has_ended: bool,
}

impl OpenQuestions {
    /// Reads the open questions of a run, including those of its sub-agents and workflow steps.
    ///
    /// # Errors
    ///
    /// Fails if the run's journal cannot be read.
    pub fn load(run: &RunFolder) -> Result<Self> {
        let records = run.records()?;
        #[cfg(feature = "workflow")]
        if let Some(last) =
            records.last().and_then(|record| record.read::<windlass_workflow::WorkflowEntry>().ok())
        {
            return Ok(load_workflow(run, &last));
        }
        #[cfg(not(feature = "workflow"))]
        crate::error::ensure!(
            !run.is_workflow(),
            MissingFeature,
            "run {} is a workflow run, and this build lacks the feature `workflow`",
            run.id
        );
        load_run(run, &records)
    }

    /// Reads the open questions from records. Each new answer of the model closes all earlier ones.
    fn read(records: &[Record]) -> Result<Self> {
        let mut open = Self::default();
        let mut asked: BTreeMap<CallId, ApprovalRequest> = BTreeMap::new();
        let mut order = Vec::new();
        for record in records {
            match record.read::<Entry>()? {
                Entry::Answered { message, .. } => {
                    order = message.calls().map(|call| call.id.clone()).collect();
                    asked.clear();
                    open = Self { guided: open.guided, ..Self::default() };
                }
                Entry::Asked { request } => drop(asked.insert(request.call.id.clone(), *request)),
                Entry::Approval { call, .. } => drop(asked.remove(&call)),
                Entry::Result { result } => {
                    asked.remove(&result.call);
                    open.results.retain(|call| *call != result.call);
                }
                Entry::Deferred { call } if !open.results.contains(&call) => open.results.push(call),
                Entry::InterruptReply { .. } => {
                    open.guidance = None;
                    open.guided = open.guided.saturating_add(1);
                }
                Entry::Finished { outcome } => {
                    open.has_ended = true;
                    let waits = if let Outcome::Suspended { waits } = outcome { waits } else { Vec::new() };
                    let waits = waits.into_iter().find_map(|wait| match wait {
                        Wait::InterruptReply { id, question } => Some((id, question)),
                        _ => None,
                    });
                    open.guidance = waits.map(|(id, question)| {
                        open.consultation = id;
                        question
                    });
                    continue;
                }
                _ => {}
            }
            open.has_ended = false;
        }
        open.questions = order.iter().filter_map(|call| asked.remove(call)).collect();
        Ok(open)
    }

    /// Returns true if the run waits for nothing.
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty() && self.results.is_empty() && self.guidance.is_none()
    }
}

/// Replaces each missing result of a call that has nested journals by the questions in these journals.
fn load_run(run: &RunFolder, records: &[Record]) -> Result<OpenQuestions> {
    let mut open = OpenQuestions::read(records)?;
    let first = records.first().map(Record::read::<Entry>).transpose()?;
    let Some(Entry::Started { run: id, .. }) = first else { return Ok(open) };
    if let Some(shared) = run.shared() {
        load_shared(shared, &id, &mut open)?;
        return Ok(open);
    }
    let journals = FileJournals::new(run.child_journals());
    for call in std::mem::take(&mut open.results) {
        let journal = journals.path(&format!("{id}/{call}"));
        match journal.parent().filter(|folder| folder.is_dir()) {
            Some(folder) => {
                open.questions.extend(load_nested(folder).into_iter().flat_map(|inner| inner.questions));
            }
            None => open.results.push(call),
        }
    }
    Ok(open)
}

/// Like the end of `load_run`, for a run in a database.
fn load_shared(shared: &SharedRun, id: &str, open: &mut OpenQuestions) -> Result<()> {
    let keys = shared.store.list_journals(&shared.id)?;
    for call in std::mem::take(&mut open.results) {
        let (own, below) = (format!("{id}/{call}"), format!("{id}/{call}/"));
        let inner: Vec<&String> = keys.iter().filter(|key| **key == own || key.starts_with(&below)).collect();
        if inner.is_empty() {
            open.results.push(call);
        }
        for key in inner {
            let nested = OpenQuestions::read(&shared.store.read_journal(&shared.id, key)?);
            let questions = nested.ok().filter(|nested| nested.has_ended).map(|nested| nested.questions);
            open.questions.extend(questions.into_iter().flatten());
        }
    }
    Ok(())
}

/// Collects the open questions of a suspended workflow's steps. The workflow itself asks none.
#[cfg(feature = "workflow")]
fn load_workflow(run: &RunFolder, last: &windlass_workflow::WorkflowEntry) -> OpenQuestions {
    use windlass_workflow::WorkflowEntry;

    let has_ended = matches!(last, WorkflowEntry::Finished { .. });
    let mut open = OpenQuestions { has_ended, ..OpenQuestions::default() };
    if matches!(last, WorkflowEntry::Finished { outcome: WorkflowOutcome::Suspended { .. } }) {
        for inner in load_nested(&run.child_journals()) {
            open.questions.extend(inner.questions);
            open.results.extend(inner.results);
        }
    }
    open
}

/// Returns the open questions of the ended runs below a folder. Skips journals that are unreadable or belong
/// to a workflow.
fn load_nested(folder: &Path) -> Vec<OpenQuestions> {
    let read = |journal: PathBuf| OpenQuestions::read(&FileJournal::read(journal).ok()?).ok();
    find_journals(folder).into_iter().filter_map(read).filter(|open| open.has_ended).collect()
}

/// Returns the paths of all journals below a folder, sorted by name.
fn find_journals(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let inside = |path: PathBuf| {
        let is_journal = path.is_file() && path.file_name().is_some_and(|name| name == "journal");
        if is_journal { vec![path] } else { find_journals(&path) }
    };
    paths.into_iter().flat_map(inside).collect()
}
