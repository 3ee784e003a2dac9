//! Sub-agents and workflows inside a run, their journals below the run's folder, and their open questions.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_journal::{FileJournal, FileJournals, Journal, JournalError, Journals, MemoryJournals, Record};
use windlass_subagent::AgentDefinition;
use windlass_tool::Tool;
use windlass_toolbox::Toolbox;
use windlass_workflow::{Entry, RunWorkflow, WorkflowOutcome, Workflows};

use crate::agents::{self, OneClient};
use crate::answers::Open;
use crate::runs::{RunFolder, Settings};
use crate::workflow;

/// Folder of the nested journals, in a run's folder.
const FOLDER: &str = "nested";

/// Sub-agents and workflows that a run can start.
#[derive(Default)]
pub(crate) struct Nested {
    /// Folder of the nested journals; `None` keeps them in memory, for a run without a folder.
    pub(crate) journals: Option<PathBuf>,
    /// True if the tools of all sub-agents are added, because a feature offers them. Otherwise only the tools
    /// are added that the steps of the offered workflows call.
    pub(crate) has_agents: bool,
    pub(crate) agents: Vec<AgentDefinition>,
    /// Workflows that are offered to the model.
    pub(crate) workflows: Workflows,
}

impl Nested {
    /// Returns the sub-agents and workflows that a run with these settings offers.
    pub(crate) fn of(settings: &Settings, folder: Option<&RunFolder>) -> anyhow::Result<Self> {
        let workflows = workflow::offered(&settings.root, &settings.offering)?;
        Ok(Self {
            journals: folder.map(Self::folder),
            has_agents: agents::are_offered(&settings.offering),
            agents: agents::defined(&settings.root, &settings.offering),
            workflows,
        })
    }

    /// Returns the folder of a run's nested journals.
    pub(crate) fn folder(run: &RunFolder) -> PathBuf {
        run.path.join(FOLDER)
    }

    /// Returns the tools that start sub-agents and workflows, except those that the toolbox already contains.
    pub(crate) fn tools(&self, there: &Toolbox, models: OneClient) -> Vec<Arc<dyn Tool>> {
        let journals: Arc<dyn Journals> = match &self.journals {
            Some(folder) => Arc::new(FileJournals::new(folder)),
            None => Arc::new(MemoryJournals::default()),
        };
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        let called: BTreeSet<&str> =
            self.workflows.iter().flat_map(|(workflow, _)| workflow.called_tools()).collect();
        if self.has_agents || !called.is_empty() {
            let agents = agents::all(&self.agents, Shared(journals.clone()), Some(models));
            let all = agents.tools().into_iter().chain(agents.new_task(there.modes()));
            let is_added =
                |tool: &Arc<dyn Tool>| self.has_agents || called.contains(tool.spec().name().as_str());
            tools.extend(all.filter(is_added));
        }
        if !self.workflows.is_empty() {
            tools.push(Arc::new(RunWorkflow::new(self.workflows.clone(), journals)));
        }
        tools.retain(|tool| there.find(tool.spec().name().as_str()).is_none());
        tools
    }
}

/// Journals that sub-agents and workflows share.
struct Shared(Arc<dyn Journals>);

impl Journals for Shared {
    fn open(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError> {
        self.0.open(key)
    }

    fn find(&self, key: &str) -> Result<Option<Box<dyn Journal + Send>>, JournalError> {
        self.0.find(key)
    }
}

/// Returns the open questions of a run, including those of its sub-agents and workflow steps.
pub(crate) fn open(run: &RunFolder) -> anyhow::Result<Open> {
    let records = FileJournal::read(run.journal())?;
    let last = records.last().and_then(|record| record.read::<Entry>().ok());
    match last {
        Some(last) => Ok(open_workflow(run, &last)),
        None => open_run(run, &records),
    }
}

/// Replaces each missing result of a call that has nested journals by the questions in these journals.
fn open_run(run: &RunFolder, records: &[Record]) -> anyhow::Result<Open> {
    let mut open = Open::of(records)?;
    let first = records.first().map(Record::read::<windlass_agent::Entry>).transpose()?;
    let Some(windlass_agent::Entry::Started { run: id, .. }) = first else { return Ok(open) };
    let journals = FileJournals::new(Nested::folder(run));
    for call in std::mem::take(&mut open.results) {
        let journal = journals.path(&format!("{id}/{call}"));
        match journal.parent().filter(|folder| folder.is_dir()) {
            Some(folder) => {
                open.questions.extend(inside(folder).into_iter().flat_map(|inner| inner.questions));
            }
            None => open.results.push(call),
        }
    }
    Ok(open)
}

/// Collects the open questions of a suspended workflow's steps. The workflow itself asks none.
fn open_workflow(run: &RunFolder, last: &Entry) -> Open {
    let mut open = Open { has_ended: matches!(last, Entry::Finished { .. }), ..Open::default() };
    if matches!(last, Entry::Finished { outcome: WorkflowOutcome::Suspended { .. } }) {
        for inner in inside(&Nested::folder(run)) {
            open.questions.extend(inner.questions);
            open.results.extend(inner.results);
        }
    }
    open
}

/// Returns the open questions of the ended runs below a folder. Skips journals that are unreadable or belong
/// to a workflow.
fn inside(folder: &Path) -> Vec<Open> {
    let open = |journal: PathBuf| Open::of(&FileJournal::read(journal).ok()?).ok();
    journals(folder).into_iter().filter_map(open).filter(|open| open.has_ended).collect()
}

/// Returns the paths of all journals below a folder, sorted by name.
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
