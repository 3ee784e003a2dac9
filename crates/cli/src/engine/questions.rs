//! `approvals`, `say` and `stop` for a run of a durable engine. Answers are signals, so the run receives them at
//! once.

use std::process::ExitCode;

use windlass_agent::DeliverAt;
use windlass_app::App;
use windlass_app::runs::{OpenQuestions, RunAnswers, StoredAnswer};
use windlass_temporal::{Engine, OpenRequests, RunHandle};

use super::{Connection, new_id};
use crate::approvals::{Layout, RunLabel, create_answers, show};
use crate::arguments::{Approvals, ApprovalsCommand, EngineTarget, Say, Stop};
use crate::output;

/// The number of active runs whose questions `approvals list` shows.
const LISTED: usize = 100;

/// Lists open questions, or answers those of a run.
pub(crate) async fn answer(arguments: &Approvals, app: &App) -> anyhow::Result<ExitCode> {
    let engine = connect(&arguments.engine, app).await?;
    if let ApprovalsCommand::List { run, full, json } = &arguments.command {
        list(&engine, run.as_deref(), Layout { full: *full, json: *json }).await?;
    }
    let Some(run) = arguments.command.run_id() else { return Ok(ExitCode::SUCCESS) };
    let handle = engine.run(run);
    let open = open_questions(handle.waits().await?);
    anyhow::ensure!(!open.is_empty(), "run {run} has no open questions");
    for answer in create_answers(&arguments.command, &open)? {
        deliver(&handle, &answer.stored).await?;
        answer.report()?;
    }
    output::note("delivered; the run continues on its workers");
    Ok(ExitCode::SUCCESS)
}

/// Sends a message to a run.
pub(crate) async fn say(arguments: &Say, app: &App) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(!arguments.words.trim().is_empty(), "the message is empty");
    let when = if arguments.after { DeliverAt::AfterTask } else { DeliverAt::NextTurn };
    let engine = connect(&arguments.engine, app).await?;
    engine.run(&arguments.run).say(Some(new_id("message")?), arguments.words.as_str(), when).await?;
    output::note("delivered; the run receives it at its next turn");
    Ok(ExitCode::SUCCESS)
}

/// Stops a run.
pub(crate) async fn stop(arguments: &Stop, app: &App) -> anyhow::Result<ExitCode> {
    connect(&arguments.engine, app).await?.run(&arguments.run).stop().await?;
    output::note("delivered; the run ends when its active calls have results");
    Ok(ExitCode::SUCCESS)
}

async fn connect(target: &EngineTarget, app: &App) -> anyhow::Result<Engine> {
    Connection::new(target.engine.as_deref(), &target.values, app)?.open().await
}

async fn list(engine: &Engine, run: Option<&str>, layout: Layout) -> anyhow::Result<()> {
    let runs = match run {
        Some(run) => vec![run.to_owned()],
        None => engine.list_active(LISTED).await?,
    };
    let mut has_questions = false;
    for id in &runs {
        let open = match engine.run(id).waits().await {
            Ok(waits) => open_questions(waits),
            Err(error) if run.is_some() => return Err(error.into()),
            // A run without a worker must not hide the others.
            Err(error) => {
                output::note(&format!("run {id}: {error}"));
                continue;
            }
        };
        if !open.is_empty() {
            has_questions = true;
            show(RunLabel { id, is_active: None }, &open, &RunAnswers::default(), layout)?;
        }
    }
    if !has_questions && !layout.json {
        output::print("no run has open questions\n")?;
    }
    if runs.len() == LISTED {
        output::note(&format!("the newest {LISTED} active runs are listed; name a run to see another"));
    }
    Ok(())
}

/// Converts the open questions of a run to those of this program.
fn open_questions(waits: OpenRequests) -> OpenQuestions {
    let mut open = OpenQuestions::default();
    open.questions = waits.approvals;
    open.results = waits.results;
    // A run of an engine that waits is like a suspended run here.
    open.has_ended = waits.is_idle;
    if let Some((id, question)) = waits.question {
        open.guidance = Some(question);
        open.consultation = id;
    }
    open
}

async fn deliver(handle: &RunHandle, answer: &StoredAnswer) -> anyhow::Result<()> {
    match answer {
        StoredAnswer::Approval { decision, .. } => handle.answer(decision.clone()).await?,
        StoredAnswer::Result { result } => handle.deliver(result.clone()).await?,
        StoredAnswer::Guidance { words, id, .. } => handle.reply(*id, Some(words.clone())).await?,
        _ => anyhow::bail!("this version cannot deliver such an answer"),
    }
    Ok(())
}
