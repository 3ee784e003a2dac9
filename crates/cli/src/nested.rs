//! What works inside a run: other agents and workflows, their records below the run's folder, and what they ask.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_journal::{FileJournal, FileJournals, Journals, MemoryJournals};
use windlass_subagent::SubAgents;
use windlass_tool::Tool;
use windlass_toolbox::Toolbox;
use windlass_workflow::{Entry, RunWorkflow, WorkflowOutcome, Workflows};

use crate::answers::Open;
use crate::runs::RunFolder;

/// Where the records lie, in the folder of a run.
const FOLDER: &str = "nested";

/// What a run gives work to.
#[derive(Default)]
pub(crate) struct Nested {
    /// Where records are kept; nowhere for a run that is only looked at.
    pub(crate) journals: Option<PathBuf>,
    /// Whether there are other agents.
    pub(crate) has_agents: bool,
    /// The workflows that the model is told of.
    pub(crate) workflows: Workflows,
}

impl Nested {
    /// Where the records of a run lie.
    pub(crate) fn folder(run: &RunFolder) -> PathBuf {
        run.path.join(FOLDER)
    }

    /// The tools that give work on, but for those that are there.
    pub(crate) fn tools(&self, there: &Toolbox) -> Vec<Arc<dyn Tool>> {
        let journals: Arc<dyn Journals> = match &self.journals {
            Some(folder) => Arc::new(FileJournals::new(folder)),
            None => Arc::new(MemoryJournals::default()),
        };
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        if self.has_agents {
            tools.extend(SubAgents::new(Shared(journals.clone())).with_builtin().tools());
        }
        if !self.workflows.is_empty() {
            tools.push(Arc::new(RunWorkflow::new(self.workflows.clone(), journals)));
        }
        tools.retain(|tool| there.find(tool.spec().name().as_str()).is_none());
        tools
    }
}

/// The same journals for agents and workflows.
struct Shared(Arc<dyn Journals>);

impl Journals for Shared {
    fn open(
        &self,
        key: &str,
    ) -> Result<Box<dyn windlass_journal::Journal + Send>, windlass_journal::JournalError> {
        self.0.open(key)
    }
}

/// What a run waits for, with what is asked inside it.
pub(crate) fn open(run: &RunFolder) -> anyhow::Result<Open> {
    let records = FileJournal::read(run.journal())?;
    let is_workflow = records.first().is_some_and(|record| record.read::<Entry>().is_ok());
    let mut open = if is_workflow { Open::default() } else { Open::of(&records)? };
    if is_workflow {
        let last = records.last().and_then(|record| record.read::<Entry>().ok());
        open.has_ended = matches!(last, Some(Entry::Finished { .. }));
        if !matches!(last, Some(Entry::Finished { outcome: WorkflowOutcome::Suspended { .. } })) {
            return Ok(open);
        }
    }
    for journal in journals(&Nested::folder(run)) {
        // One that cannot be read, or is a workflow's own, asks nothing.
        let inner = FileJournal::read(journal).ok().and_then(|records| Open::of(&records).ok());
        if let Some(inner) = inner.filter(|inner| inner.has_ended) {
            open.questions.extend(inner.questions);
            open.results.extend(inner.results.into_iter().filter(|_| is_workflow));
        }
    }
    Ok(open)
}

/// All journals below a folder, in the order of their names.
fn journals(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let inside = |path: PathBuf| {
        let is_journal = path.is_file() && path.file_name().is_some_and(|name| name == "journal");
        if is_journal { vec![path] } else { journals(&path) }
    };
    paths.into_iter().flat_map(inside).collect()
}
