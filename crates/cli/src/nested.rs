//! What works inside a run: other agents and workflows, their records below the run's folder, and what they ask.

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

/// Where the records lie, in the folder of a run.
const FOLDER: &str = "nested";

/// What a run gives work to.
#[derive(Default)]
pub(crate) struct Nested {
    /// Where records are kept; nowhere for a run that is only looked at.
    pub(crate) journals: Option<PathBuf>,
    /// Whether there are other agents, and those that people defined.
    pub(crate) has_agents: bool,
    pub(crate) agents: Vec<AgentDefinition>,
    /// The workflows that the model is told of.
    pub(crate) workflows: Workflows,
}

impl Nested {
    /// The agents and workflows that a run with these settings is offered.
    pub(crate) fn of(settings: &Settings, folder: Option<&RunFolder>) -> anyhow::Result<Self> {
        let workflows = workflow::offered(&settings.root, &settings.offering)?;
        Ok(Self {
            journals: folder.map(Self::folder),
            has_agents: !workflows.is_empty() || agents::are_offered(&settings.offering),
            agents: agents::defined(&settings.root, &settings.offering),
            workflows,
        })
    }

    /// Where the records of a run lie.
    pub(crate) fn folder(run: &RunFolder) -> PathBuf {
        run.path.join(FOLDER)
    }

    /// The tools that give work on, but for those that are there.
    pub(crate) fn tools(&self, there: &Toolbox, models: OneClient) -> Vec<Arc<dyn Tool>> {
        let journals: Arc<dyn Journals> = match &self.journals {
            Some(folder) => Arc::new(FileJournals::new(folder)),
            None => Arc::new(MemoryJournals::default()),
        };
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        if self.has_agents {
            let agents = agents::all(&self.agents, Shared(journals.clone()), Some(models));
            tools.extend(agents.tools());
            tools.extend(agents.new_task(there.modes()));
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
    fn open(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError> {
        self.0.open(key)
    }

    fn find(&self, key: &str) -> Result<Option<Box<dyn Journal + Send>>, JournalError> {
        self.0.find(key)
    }
}

/// What a run waits for, with what is asked inside it.
pub(crate) fn open(run: &RunFolder) -> anyhow::Result<Open> {
    let records = FileJournal::read(run.journal())?;
    let last = records.last().and_then(|record| record.read::<Entry>().ok());
    match last {
        Some(last) => Ok(open_workflow(run, &last)),
        None => open_run(run, &records),
    }
}

/// A call that keeps its own record waits for what is asked there.
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

/// A workflow has no question of its own: all are its steps'.
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

/// What is asked in the records below a folder. One that cannot be read, or is a workflow's own, asks nothing.
fn inside(folder: &Path) -> Vec<Open> {
    let open = |journal: PathBuf| Open::of(&FileJournal::read(journal).ok()?).ok();
    journals(folder).into_iter().filter_map(open).filter(|open| open.has_ended).collect()
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
