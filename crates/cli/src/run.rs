//! `windlass run`: runs an agent on a task in a folder, or replays a recorded run.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use windlass_agent::{DeliverAt, EventStream, Outcome, RunOptions};
use windlass_cassette::{Difference, Player};
use windlass_journal::{FileJournal, Journal, JournalError, Tail};
use windlass_redact::Redactor;
use windlass_telemetry::trace_events;
use windlass_tool::CancellationToken;
use windlass_tools_shell::Shell;

use crate::answers::Answers;
use crate::arguments::{ProtocolName, Run};
use crate::assembly::Assembly;
use crate::drive::{Telling, drive};
use crate::nested::{self, Nested};
use crate::own::Own;
use crate::provider::Provider;
use crate::runs::{self, RunFolder, Settings};
use crate::say::{self, Inbox};
use crate::show::Show;
use crate::tape::Tape;
use crate::traces::Traces;
use crate::{checkpoints, confine, input, output, secrets, setup, usage, workflow};

/// Exit code of a suspended run: `EX_TEMPFAIL` of `sysexits.h`, a temporary failure.
pub(crate) const SUSPENDED: u8 = 75;

/// Message to a model that continues after `--salvage` dropped the end of its journal.
const RECORD_WAS_DAMAGED: &str = "The record of this run was damaged, and what was done last is no longer known here. \
    Look at the present state of what you worked on before you go on; calls that you made then may have been carried out.";

/// Exit code of an interrupted run: 128 plus the number of SIGINT, as shells report it.
pub(crate) const INTERRUPTED: u8 = 130;

pub(crate) async fn run(arguments: Run) -> anyhow::Result<ExitCode> {
    let traces = Traces::begin(&arguments.otlp, &arguments.reach)?;
    let end = run_traced(arguments, &traces).await;
    traces.end().await;
    end
}

async fn run_traced(arguments: Run, traces: &Traces) -> anyhow::Result<ExitCode> {
    if let Some(file) = &arguments.replay {
        return replay(&arguments, file).await;
    }
    let state = runs::state()?;
    let stop = CancellationToken::new();
    let telling = Telling::of(arguments.json);
    let mut show = Show::default();
    let Begun { folder, events, tape, inbox } = match &arguments.resume {
        Some(id) => resume(&arguments, RunFolder::find(&state, id)?, &stop).await?,
        None => start(&arguments, &state, &stop).await?,
    };
    let events =
        trace_events(events, &traces.options(&folder.settings()?.provider).with_conversation(&folder.id));
    let outcome = drive(events, &mut show, telling, &stop, Some(&inbox)).await?;
    tape.finish()?;
    Ok(ended(&folder, &outcome, &show))
}

/// A run that was started or resumed and whose events have not been read yet.
struct Begun {
    folder: RunFolder,
    events: EventStream,
    tape: Tape,
    inbox: Inbox,
}

async fn start(arguments: &Run, state: &Path, stop: &CancellationToken) -> anyhow::Result<Begun> {
    let mut settings = settings_of(arguments, task(arguments)?)?;
    let shell = Own::of(None).with_records(arguments.record.as_deref()).hide(shell_of(&settings)?);
    // Report every configuration error before the run has a folder.
    assembly(arguments, &settings, None, &Tape::none(), &shell)?.check()?;
    let secrets = secrets::of_run(&settings, &arguments.reach)?;
    // Secrets in the task must not reach the conversation either.
    settings.task = Redactor::new(secrets.clone()).redact(&settings.task).into_owned();
    let tape = Tape::none().recording(arguments.record.as_deref(), &settings, secrets)?;
    let folder = RunFolder::create(state)?;
    folder.write_settings(&settings)?;
    let agent = assembly(arguments, &settings, Some(&folder), &tape, &shell)?.agent().await?;
    let journal = FileJournal::create(folder.journal())?;
    let inbox = Inbox::of(&folder);
    let options = options(&folder, journal, stop).with_messages(inbox.messages());
    let options = checkpoints::kept(options, &folder, &settings);
    Ok(Begun { events: agent.stream_with(settings.task, options), folder, tape, inbox })
}

/// Returns the task. `-` reads it from standard input. Otherwise piped text is appended to the words of the
/// task, as in `cat log | windlass run "explain this"`.
fn task(arguments: &Run) -> anyhow::Result<String> {
    let words = arguments.task.as_deref().context("say what to do")?;
    let task = match words {
        "-" => input::text("-".as_ref())?,
        // With `--ask` the lines of standard input are answers to questions, not a part of the task.
        words if arguments.approval.ask => words.to_owned(),
        words => match input::piped()? {
            Some(text) => format!("{words}\n\n<stdin>\n{text}\n</stdin>"),
            None => words.to_owned(),
        },
    };
    anyhow::ensure!(!task.trim().is_empty(), "the task is empty: say what to do");
    Ok(task)
}

/// Returns the settings of a new run from the command line's options.
pub(crate) fn settings_of(arguments: &Run, task: String) -> anyhow::Result<Settings> {
    let provider = Provider::of(arguments)?;
    Ok(Settings {
        task,
        root: setup::root(&arguments.root)?,
        policy: arguments.policy.as_deref().map(setup::policy_file).transpose()?,
        preset: arguments.preset,
        sandbox: arguments.sandbox,
        autonomy: arguments.autonomy,
        offering: arguments.offering.clone(),
        servers: !arguments.no_mcp,
        max_turns: arguments.max_turns,
        no_checkpoints: arguments.no_checkpoints,
        context_window: arguments.context_window.unwrap_or_default(),
        budget: arguments.budget(),
        fallbacks: provider.fallbacks(arguments)?,
        provider,
        protocol: arguments.protocol.map(ProtocolName::protocol),
        dialect: arguments.dialect.map(|dialect| dialect.name().to_owned()),
    })
}

async fn resume(arguments: &Run, folder: RunFolder, stop: &CancellationToken) -> anyhow::Result<Begun> {
    anyhow::ensure!(
        !workflow::is_of_workflow(&folder),
        "run {0} is of a workflow; go on with: windlass workflow run --resume {0}",
        folder.id
    );
    let settings = folder.settings()?;
    let shell = shell_of(&settings)?;
    let journal = record(arguments, &folder)?;
    let records = journal.records()?;
    let answers = Answers::load(&folder, &nested::open(&folder)?)?;
    let tape = Tape::none();
    let mut assembly = assembly(arguments, &settings, Some(&folder), &tape, &shell)?;
    assembly.answers = Some(&answers);
    let agent = assembly.agent().await?;
    let inbox = Inbox::of(&folder);
    let options = answers.options(options(&folder, journal, stop)).with_messages(inbox.messages());
    // A failed checkpoint must not prevent the resume.
    if let Err(error) = checkpoints::catch_up(&folder, &settings, &records) {
        output::note(&format!(
            "warning: no checkpoint of what the interrupted call did: {}",
            crate::complaint::one_line(&error)
        ));
    }
    let options = checkpoints::kept(options, &folder, &settings);
    let events = agent.resume(options)?;
    Ok(Begun { folder, events, tape: Tape::none(), inbox })
}

/// Opens the journal of a run that will be resumed. With `--salvage`, a damaged journal is cut before its
/// first damaged line, and the model receives a message about the loss.
fn record(arguments: &Run, folder: &RunFolder) -> anyhow::Result<FileJournal> {
    if arguments.salvage {
        let (journal, salvaged) = FileJournal::salvage(folder.journal())?;
        if let Some(salvaged) = salvaged {
            output::note(&format!(
                "the record was damaged at line {}; {} bytes from there on are left out, and kept in {}",
                salvaged.line,
                salvaged.bytes,
                salvaged.copy.display()
            ));
            say::leave(folder, RECORD_WAS_DAMAGED, DeliverAt::NextTurn)?;
        }
        return Ok(journal);
    }
    let opened = FileJournal::open(folder.journal());
    if let Err(JournalError::Damaged { .. }) = &opened {
        output::note(&format!(
            "what stands before the damage can be gone on from: windlass run --resume {} --salvage",
            folder.id
        ));
    }
    let (journal, tail) = opened?;
    if let Tail::Torn { bytes } = tail {
        output::note(&format!("the last record had been cut by a crash; its {bytes} bytes were dropped"));
    }
    Ok(journal)
}

/// Replays a recorded run and reports where it differs. Writes no journal and no run folder.
async fn replay(arguments: &Run, file: &Path) -> anyhow::Result<ExitCode> {
    let player = Player::open(file)?;
    let settings = recorded_settings(&player, file)?;
    let (stop, tape) = (CancellationToken::new(), Tape::playing(player));
    // No tool runs, but decisions depend on the confinement that a process would get.
    let shell = confine::shell(settings.sandbox, settings.policy.as_deref())?;
    let agent = assembly(arguments, &settings, None, &tape, &shell)?.agent().await?;
    let events = agent.stream_with(settings.task, RunOptions::default().with_cancellation(stop.clone()));
    let outcome = drive(events, &mut Show::default(), Telling::of(arguments.json), &stop, None).await?;
    let is_same = tell_differences(&tape.finish()?);
    if is_same {
        output::note("the run went as it was recorded");
    }
    let completed = matches!(outcome, Outcome::Completed { .. });
    Ok(if is_same && completed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the settings of a recorded run.
pub(crate) fn recorded_settings(player: &Player, file: &Path) -> anyhow::Result<Settings> {
    serde_json::from_value(player.settings().clone())
        .with_context(|| format!("{} was not recorded by `windlass run --record`", file.display()))
}

/// Prints the differences between a replay and its recording. Returns true if both are equal.
pub(crate) fn tell_differences(differences: &[Difference]) -> bool {
    for difference in differences {
        output::note(&format!("the replay differs: {difference}"));
    }
    differences.is_empty()
}

pub(crate) fn options(folder: &RunFolder, journal: FileJournal, stop: &CancellationToken) -> RunOptions {
    RunOptions::default()
        .with_run_id(folder.id.as_str())
        .with_journal(journal)
        .with_cancellation(stop.clone())
        .with_outputs(folder.outputs())
}

pub(crate) fn shell_of(settings: &Settings) -> anyhow::Result<Shell> {
    let shell = confine::shell(settings.sandbox, settings.policy.as_deref())?;
    confine::warn(&shell);
    Ok(shell)
}

pub(crate) fn assembly<'a>(
    arguments: &'a Run,
    settings: &'a Settings,
    folder: Option<&RunFolder>,
    tape: &'a Tape,
    shell: &'a Shell,
) -> anyhow::Result<Assembly<'a>> {
    let outputs = folder.map(RunFolder::outputs);
    let nested = Nested::of(settings, folder)?;
    Ok(Assembly {
        settings,
        approval: &arguments.approval,
        reach: &arguments.reach,
        tape,
        shell,
        outputs,
        answers: None,
        nested,
    })
}

/// Prints the token usage, the journal's path and the command that resumes the run, and returns the exit
/// code.
pub(crate) fn ended(folder: &RunFolder, outcome: &Outcome, show: &Show) -> ExitCode {
    output::note(&format!("{}; journal: {}", usage::words(show.usage), folder.journal().display()));
    if matches!(outcome, Outcome::Completed { .. }) {
        return ExitCode::SUCCESS;
    }
    if matches!(outcome, Outcome::Suspended { .. }) {
        output::note(&format!(
            "answer with: windlass approvals list {0} --full; then go on with: windlass run --resume {0}",
            folder.id
        ));
        return ExitCode::from(SUSPENDED);
    }
    output::note(&format!("go on with: windlass run --resume {}", folder.id));
    exit_code(show)
}

/// Returns the exit code of a run that did not complete: `INTERRUPTED` after Ctrl-C, otherwise a failure.
pub(crate) fn exit_code(show: &Show) -> ExitCode {
    if show.is_interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::FAILURE }
}
