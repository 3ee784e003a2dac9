//! `windlass workflow run`: starts or resumes a workflow in a run folder of its own.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_journal::{FileJournal, FileJournals, Journal, JournalError, Journals};
use windlass_redact::Redactor;
use windlass_tool::CancellationToken;
use windlass_workflow::{Definition, Runner, Workflow, WorkflowOptions, WorkflowOutcome};

use crate::answers::Answers;
use crate::arguments::{Run, WorkflowRun};
use crate::drive::{Telling, interrupts};
use crate::nested::{self, Nested};
use crate::run::{INTERRUPTED, SUSPENDED, assembly, settings_of, shell_of};
use crate::runs::{self, RunFolder};
use crate::screen::Floor;
use crate::tape::Tape;
use crate::workflow::{found, telling};
use crate::{answers, output, secrets};

/// The definition and the input of a started workflow, stored in its run folder. A resumed run uses this
/// definition even if the workflow's file has changed since.
#[derive(Serialize, Deserialize)]
struct Begun {
    definition: Definition,
    input: Map<String, Value>,
}

/// Name of the stored definition in the run folder, without `.json`.
const BEGUN: &str = "workflow";

/// Returns true if the run executes a workflow instead of a model.
pub(crate) fn is_of_workflow(folder: &RunFolder) -> bool {
    folder.path.join(format!("{BEGUN}.json")).is_file()
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

pub(super) async fn run(arguments: WorkflowRun) -> anyhow::Result<ExitCode> {
    let unfit = arguments.run.record.is_some() || arguments.run.replay.is_some();
    anyhow::ensure!(!unfit, "--record and --replay are for runs of a model; a workflow has a record anyhow");
    let state = runs::state()?;
    let (folder, begun) = match &arguments.run.resume {
        Some(id) => {
            let folder = RunFolder::find(&state, id)?;
            anyhow::ensure!(
                is_of_workflow(&folder),
                "run {id} is of a model; go on with: windlass run --resume {id}"
            );
            anyhow::ensure!(arguments.inputs.is_empty(), "the run {id} has its input already");
            let begun = answers::read(&folder.path.join(format!("{BEGUN}.json")))?;
            (folder, begun)
        }
        None => begin(&arguments, &state)?,
    };
    go_on(&arguments.run, folder, begun).await
}

fn begin(arguments: &WorkflowRun, state: &std::path::Path) -> anyhow::Result<(RunFolder, Begun)> {
    let name = arguments.run.task.as_deref().context("say which workflow")?;
    let settings = settings_of(&arguments.run, format!("workflow {name}"))?;
    let workflow = found::find(&settings.root, name)?;
    let secrets = Redactor::new(secrets::of_run(&settings, &arguments.run.reach)?);
    let clean = |(name, value): &(String, Value)| match value {
        Value::String(text) => (name.clone(), Value::String(secrets.redact(text).into_owned())),
        value => (name.clone(), value.clone()),
    };
    let input = arguments.inputs.iter().map(clean).collect();
    // Report every configuration error before the run has a folder.
    let input = workflow.complete(input)?;
    assembly(&arguments.run, &settings, None, &Tape::none(), &shell_of(&settings)?)?.check()?;
    let begun = Begun { definition: workflow.definition().clone(), input };
    let folder = RunFolder::create(state)?;
    folder.write_settings(&settings)?;
    answers::write(&folder.path, BEGUN, &begun)?;
    Ok((folder, begun))
}

async fn go_on(arguments: &Run, folder: RunFolder, begun: Begun) -> anyhow::Result<ExitCode> {
    let settings = folder.settings()?;
    let workflow = Workflow::new(begun.definition)?;
    let shell = shell_of(&settings)?;
    let answers = if folder.journal().is_file() {
        Answers::load(&folder, &nested::open(&folder)?)?
    } else {
        Answers::default()
    };
    let tape = Tape::none();
    let mut assembly = assembly(arguments, &settings, Some(&folder), &tape, &shell)?;
    assembly.nested.has_agents = true;
    assembly.answers = Some(&answers);
    let hands = assembly.agent().await?;
    let nested = FileJournals::new(Nested::folder(&folder));
    let runner = Runner::new(hands, Arc::new(RunJournals { folder: folder.clone(), nested }))?;
    let (stop, telling) = (CancellationToken::new(), Telling::of(arguments.json));
    let mut options = WorkflowOptions::default()
        .with_cancellation(stop.clone())
        .with_outputs(folder.outputs())
        .with_redactor(Redactor::new(secrets::of_run(&settings, &arguments.reach)?))
        .with_listener(move |event| telling::tell(telling, event));
    for (step, words) in answers.words() {
        options = options.with_answer(step, words);
    }
    let mut run = std::pin::pin!(runner.run(&folder.id, &workflow, begun.input, &options));
    let mut floor = Floor::open();
    let mut interrupts = interrupts()?;
    let outcome = loop {
        tokio::select! {
            // The listener prints while the workflow is polled, so a question waits until every earlier event
            // has been printed.
            biased;
            _ = interrupts.recv() => {
                anyhow::ensure!(!stop.is_cancelled(), "given up; go on with: windlass workflow run --resume {}", folder.id);
                output::note("\n■ stopping; Ctrl-C again gives the run up at once");
                stop.cancel();
            }
            outcome = &mut run => break outcome?,
            () = floor.grant() => {}
        }
    };
    Ok(ended(&folder, &outcome))
}

/// Prints the journal's path and the command that resumes the run, and returns the exit code.
fn ended(folder: &RunFolder, outcome: &WorkflowOutcome) -> ExitCode {
    output::note(&format!("journal: {}", folder.journal().display()));
    match outcome {
        WorkflowOutcome::Completed { .. } => ExitCode::SUCCESS,
        WorkflowOutcome::Suspended { .. } => {
            output::note(&format!(
                "answer with: windlass approvals list {0} --full; then go on with: windlass workflow run --resume {0}",
                folder.id
            ));
            ExitCode::from(SUSPENDED)
        }
        WorkflowOutcome::Stopped => {
            output::note(&format!("go on with: windlass workflow run --resume {}", folder.id));
            ExitCode::from(INTERRUPTED)
        }
        _ => ExitCode::FAILURE,
    }
}
