//! Runs of workflows: a graph of steps in a run folder of its own.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_journal::{FileJournal, FileJournals, Journal, JournalError, Journals};
use windlass_redact::Redactor;
use windlass_workflow::{Definition, Runner, Workflow, WorkflowEvent, WorkflowOptions, WorkflowOutcome};

use super::folder::WORKFLOW;
use super::session::open_shell;
use super::{OpenQuestions, RunAnswers, RunFolder, SessionOptions};
use crate::agents::find_workflow;
use crate::app::App;
use crate::assembly::{Assembly, build_shell};
use crate::config::RunSettings;
use crate::error::{Remedy, Result, ensure};
use crate::secrets::collect_run_secrets;
use crate::storage::{read_json, write_json};

/// The definition and the input of a started workflow, stored in its run folder. A resumed run uses this
/// definition even if the workflow's file has changed since.
#[derive(Debug, Serialize, Deserialize)]
struct StoredWorkflow {
    definition: Definition,
    input: Map<String, Value>,
}

/// A workflow that is ready to run, or to continue, in its run folder.
#[non_exhaustive]
pub struct WorkflowSession {
    /// The run's folder.
    pub folder: RunFolder,
    runner: Runner,
    workflow: Workflow,
    input: Map<String, Value>,
    options: WorkflowOptions,
}

impl WorkflowSession {
    /// Prepares a new run of a workflow, by its name or its file. Reports every error of the settings and of
    /// the input before the folder is created.
    ///
    /// # Errors
    ///
    /// Fails if the workflow does not exist, or if a setting or an input cannot be used.
    pub async fn start(
        app: &App,
        name: &str,
        input: impl IntoIterator<Item = (String, Value)>,
        settings: &RunSettings,
        options: &SessionOptions,
    ) -> Result<Self> {
        let workflow = find_workflow(app, &settings.root, name)?;
        let secrets = Redactor::new(collect_run_secrets(app, settings, &options.providers)?);
        let redact = |(name, value): (String, Value)| match value {
            Value::String(text) => (name, Value::String(secrets.redact(&text).into_owned())),
            value => (name, value),
        };
        let input = workflow.complete(input.into_iter().map(redact).collect())?;
        let shell = build_shell(app, settings.sandbox, settings.policy.as_deref())?;
        Assembly::new(app, settings, &options.people, &options.providers, &shell, None)?.check()?;
        let stored = StoredWorkflow { definition: workflow.definition().clone(), input };
        let folder = RunFolder::create(app)?;
        folder.write_settings(settings)?;
        write_json(&folder.path, WORKFLOW, &stored)?;
        Self::open(app, folder, stored, options).await
    }

    /// Prepares the continuation of a workflow that was suspended, stopped or killed.
    ///
    /// # Errors
    ///
    /// Fails if the run is of a model, or if its records cannot be read.
    pub async fn resume(app: &App, folder: RunFolder, options: &SessionOptions) -> Result<Self> {
        ensure!(
            folder.is_workflow(),
            Conflict,
            remedy: Remedy::ResumeRun(folder.id.clone()),
            "run {} is a model run",
            folder.id
        );
        let stored = read_json(&folder.path.join(format!("{WORKFLOW}.json")))?;
        Self::open(app, folder, stored, options).await
    }

    async fn open(
        app: &App,
        folder: RunFolder,
        stored: StoredWorkflow,
        options: &SessionOptions,
    ) -> Result<Self> {
        let settings = folder.settings()?;
        let workflow = Workflow::new(stored.definition)?;
        let shell = open_shell(app, &settings)?;
        let answers = if folder.journal().is_file() {
            RunAnswers::load(app, &folder, &OpenQuestions::load(&folder)?)?
        } else {
            RunAnswers::default()
        };
        let assembly =
            Assembly::new(app, &settings, &options.people, &options.providers, &shell, Some(&folder))?;
        let agent = assembly.with_agents().with_answers(&answers).build().await?;
        let nested = FileJournals::new(folder.child_journals());
        let runner = Runner::new(agent, Arc::new(RunJournals { folder: folder.clone(), nested }))?;
        let secrets = collect_run_secrets(app, &settings, &options.providers)?;
        let mut run = WorkflowOptions::default()
            .with_cancellation(options.cancellation.clone())
            .with_outputs(folder.outputs())
            .with_redactor(Redactor::new(secrets));
        for (step, text) in answers.results() {
            run = run.with_answer(step, text);
        }
        Ok(Self { folder, runner, workflow, input: stored.input, options: run })
    }

    /// Runs the workflow to its end, or until it is suspended. `listener` receives each event while the
    /// future is polled.
    ///
    /// # Errors
    ///
    /// Fails if a record cannot be written.
    pub async fn run(
        self,
        listener: impl Fn(&WorkflowEvent) + Send + Sync + 'static,
    ) -> Result<WorkflowOutcome> {
        let options = self.options.with_listener(listener);
        Ok(self.runner.run(&self.folder.id, &self.workflow, self.input, &options).await?)
    }
}

/// Journals of a workflow run: its own one, and the nested ones of its steps.
struct RunJournals {
    folder: RunFolder,
    nested: FileJournals,
}

impl Journals for RunJournals {
    fn open(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError> {
        if key != self.folder.id {
            return self.nested.open(key);
        }
        let path = self.folder.journal();
        let journal = if path.exists() { FileJournal::open(path)?.0 } else { FileJournal::create(path)? };
        Ok(Box::new(journal))
    }

    fn find(&self, key: &str) -> Result<Option<Box<dyn Journal + Send>>, JournalError> {
        if key == self.folder.id { self.open(key).map(Some) } else { self.nested.find(key) }
    }
}

impl std::fmt::Debug for WorkflowSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkflowSession")
            .field("folder", &self.folder)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
