//! `windlass workflow run`: starts or resumes a workflow in a run folder of its own.

use std::process::ExitCode;

use anyhow::Context as _;
use windlass_app::App;
use windlass_app::runs::{RunFolder, WorkflowSession};
use windlass_tool::CancellationToken;
use windlass_workflow::WorkflowOutcome;

use crate::arguments::WorkflowRun;
use crate::drive::{Telling, interrupts};
use crate::output;
use crate::run::{INTERRUPTED, SUSPENDED, session_options, settings_of};
use crate::screen::Floor;
use crate::workflow::telling;

pub(super) async fn run(arguments: WorkflowRun, app: &App) -> anyhow::Result<ExitCode> {
    let unfit = arguments.run.record.is_some() || arguments.run.replay.is_some();
    anyhow::ensure!(!unfit, "--record and --replay are for runs of a model; a workflow always has a record");
    anyhow::ensure!(
        !arguments.run.script.is_given(),
        "--print, --output-last-message and --schema are for runs of a model"
    );
    let stop = CancellationToken::new();
    let session = match &arguments.run.resume {
        Some(id) => resume(&arguments, app, id, &stop).await?,
        None => start(&arguments, app, &stop).await?,
    };
    let (folder, telling) = (session.folder.clone(), Telling::from_flag(arguments.run.json));
    let mut run = std::pin::pin!(session.run(move |event| telling::tell(telling, event)));
    let mut floor = Floor::open();
    let mut interrupts = interrupts()?;
    let outcome = loop {
        tokio::select! {
            // The listener prints while the workflow is polled, so a question waits until every earlier event
            // has been printed.
            biased;
            _ = interrupts.recv() => {
                anyhow::ensure!(!stop.is_cancelled(), "aborted; continue with: windlass workflow run \
                                                       --resume {}", folder.id);
                output::note("\n■ stopping; Ctrl-C again aborts the run at once");
                stop.cancel();
            }
            outcome = &mut run => break outcome?,
            () = floor.grant() => {}
        }
    };
    Ok(report_end(&folder, &outcome))
}

async fn start(
    arguments: &WorkflowRun,
    app: &App,
    stop: &CancellationToken,
) -> anyhow::Result<WorkflowSession> {
    let name = arguments.run.task.as_deref().context("the name of the workflow is missing")?;
    let has_files = !arguments.run.image.is_empty() || !arguments.run.file.is_empty();
    anyhow::ensure!(!has_files, "a workflow takes inputs, and no --image or --file");
    let settings = settings_of(&arguments.run, app, format!("workflow {name}"))?;
    let options = session_options(&arguments.run, app, &settings, stop)?;
    let input = arguments.inputs.iter().cloned();
    Ok(WorkflowSession::start(app, name, input, &settings, &options).await?)
}

async fn resume(
    arguments: &WorkflowRun,
    app: &App,
    id: &str,
    stop: &CancellationToken,
) -> anyhow::Result<WorkflowSession> {
    let folder = app.find_run(id)?;
    let has_input = folder.is_workflow() && !arguments.inputs.is_empty();
    anyhow::ensure!(!has_input, "the run {id} has its input already");
    let options = session_options(&arguments.run, app, &folder.settings()?, stop)?;
    Ok(WorkflowSession::resume(app, folder, &options).await?)
}

/// Prints the journal's path and the command that resumes the run, and returns the exit code.
fn report_end(folder: &RunFolder, outcome: &WorkflowOutcome) -> ExitCode {
    output::note(&format!("journal: {}", folder.journal().display()));
    match outcome {
        WorkflowOutcome::Completed { .. } => ExitCode::SUCCESS,
        WorkflowOutcome::Suspended { .. } => {
            output::note(&format!(
                "answer with: windlass approvals list {0} --full; then continue with: windlass workflow run \
                 --resume {0}",
                folder.id
            ));
            ExitCode::from(SUSPENDED)
        }
        WorkflowOutcome::Stopped => {
            output::note(&format!("continue with: windlass workflow run --resume {}", folder.id));
            ExitCode::from(INTERRUPTED)
        }
        _ => ExitCode::FAILURE,
    }
}
