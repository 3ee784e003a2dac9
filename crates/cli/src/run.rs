//! `windlass run`: runs an agent on a task in a folder, or replays a recorded run.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use windlass_agent::{Budget, Outcome};
use windlass_app::assembly::AnswerForm;
use windlass_app::feed::Tokens;
use windlass_app::providers::{Provider, ProviderOptions};
use windlass_app::runs::{Replay, RunFolder, Session, SessionOptions};
use windlass_app::sessions::{Continuation, RunChanges, Sessions};
use windlass_app::{App, AppError, RunSettings, Task};
use windlass_cassette::Difference;
use windlass_journal::JournalError;
use windlass_tool::CancellationToken;

use crate::arguments::{ProtocolName, Run, StoreOption, provider_choice};
use crate::drive::{RunParts, Telling, drive};
use crate::named_run::find_named_run;
use crate::people::choose_people;
use crate::script::{AnswerFile, print_answer, read_schema};
use crate::show::Show;
use crate::telemetry::Telemetry;
use crate::usage::RunPrices;
use crate::{input, output};

/// Exit code of a suspended run: `EX_TEMPFAIL` of `sysexits.h`, a temporary failure.
pub(crate) const SUSPENDED: u8 = 75;

/// Exit code of an interrupted run: 128 plus the number of SIGINT, as shells report it.
pub(crate) const INTERRUPTED: u8 = 130;

pub(crate) async fn run(arguments: Run, app: &App) -> anyhow::Result<ExitCode> {
    let telemetry = Telemetry::begin(&arguments.otlp, &arguments.reach, app)?;
    let end = run_traced(arguments, app, &telemetry).await;
    telemetry.end().await;
    end
}

async fn run_traced(arguments: Run, app: &App, telemetry: &Telemetry) -> anyhow::Result<ExitCode> {
    if arguments.engine.engine.is_some() {
        return run_on_engine(&arguments, app).await;
    }
    if let Some(file) = &arguments.replay {
        return replay(&arguments, app, file).await;
    }
    let app = &arguments.store.open(app)?;
    let stop = CancellationToken::new();
    let telling = Telling::from_flags(arguments.json, arguments.script.print);
    // A file that cannot be written is an error before the first request, not after the last one.
    let file = AnswerFile::open(arguments.script.output_last_message.as_deref())?;
    let session = match (&arguments.resume, &arguments.continued) {
        (Some(id), _) => resume(&arguments, app, find_named_run(app, id)?, &stop).await?,
        (None, Some(session)) => continue_session(&arguments, app, session, &stop).await?,
        (None, None) => start(&arguments, app, &stop).await?,
    };
    let Session { folder, events, inbox, recording, mut feed, .. } = session;
    // A process that is killed later prints no command that resumes the run.
    output::note(&format!("run {}", folder.id));
    let settings = folder.settings()?;
    let prices = prices_of(app, &settings, &arguments.reach.options())?;
    let mut show = Show::new();
    let events = telemetry.observe(events, &settings.provider, settings.budget.prices, &folder.id);
    let parts = RunParts { inbox: &inbox, feed: &mut feed };
    let outcome = drive(events, &mut show, telling, &stop, Some(parts)).await;
    if folder.has_lost_lease() {
        telemetry.record_lost_lease();
        output::note("warning: another process has taken the run over; this one has stopped");
    }
    let outcome = outcome?;
    recording.finish()?;
    let form = AnswerForm::new(&settings)?;
    if telling == Telling::Answer {
        print_answer(&outcome, form.as_ref())?;
    }
    file.store(&outcome, form.as_ref())?;
    Ok(report_end(&folder, &arguments.store, &outcome, &show, &RunCost { total: feed.total(), prices }))
}

/// Starts or shows a run of a durable engine.
#[cfg(feature = "temporal")]
async fn run_on_engine(arguments: &Run, app: &App) -> anyhow::Result<ExitCode> {
    let task = if arguments.resume.is_some() { String::new() } else { task(arguments)? };
    crate::engine::run(arguments, app, task).await
}

#[cfg(not(feature = "temporal"))]
#[expect(clippy::unused_async, reason = "like the function of builds with the feature")]
async fn run_on_engine(_: &Run, _: &App) -> anyhow::Result<ExitCode> {
    crate::missing::refuse("temporal")
}

async fn start(arguments: &Run, app: &App, stop: &CancellationToken) -> anyhow::Result<Session> {
    // Without a state folder the task must not be read either.
    app.state_folder()?;
    let task = read_task(arguments).await?;
    let settings = settings_of(arguments, app, String::new())?.with_task(task);
    let mut options = session_options(arguments, app, &settings, stop)?;
    options.record.clone_from(&arguments.record);
    Ok(Session::start(app, settings, &options).await?)
}

/// Continues a session: an ended run by a new run, and a run that was interrupted by resuming it.
async fn continue_session(
    arguments: &Run,
    app: &App,
    session: &str,
    stop: &CancellationToken,
) -> anyhow::Result<Session> {
    let sessions = Sessions::new(app)?;
    let task = read_task(arguments).await?;
    match sessions.continue_with(session, task, &run_changes(arguments, app, &sessions, session)?)? {
        Continuation::Resume { folder, .. } => resume(arguments, app, folder, stop).await,
        Continuation::NewRun { settings, link, .. } => {
            let mut options = session_options(arguments, app, &settings, stop)?;
            options.record.clone_from(&arguments.record);
            options.link = link;
            Ok(Session::start(app, settings, &options).await?)
        }
        _ => anyhow::bail!("this version cannot continue session {session}"),
    }
}

/// Returns the settings that the options change. A new model stays at the session's provider unless the options
/// name another one.
fn run_changes(arguments: &Run, app: &App, sessions: &Sessions, session: &str) -> anyhow::Result<RunChanges> {
    let is_given = |id: &str| arguments.given.iter().any(|given| given == id);
    let mut changes = RunChanges::default();
    if ["model", "provider", "base_url", "wire"].into_iter().any(is_given) {
        let Run { provider, base_url, wire, model, .. } = arguments;
        let same_provider = !["provider", "base_url", "wire"].into_iter().any(is_given);
        changes.provider = Some(match model {
            Some(model) if same_provider => {
                let settings = sessions.newest_folder(&sessions.find(session)?)?.settings()?;
                let mut provider = settings.provider;
                provider.model.clone_from(model);
                provider
            }
            _ => {
                let choice = provider_choice(provider.as_ref(), base_url.as_ref(), *wire, model.as_ref());
                Provider::select(app, &choice, &arguments.reach.options())?
            }
        });
    }
    changes.mode = arguments.offering.selection().mode.filter(|_| is_given("mode"));
    changes.autonomy = is_given("autonomy").then(|| arguments.autonomy.autonomy());
    changes.preset = is_given("preset").then(|| arguments.preset.preset());
    changes.max_turns = is_given("max_turns").then_some(arguments.max_turns);
    changes.max_cost = is_given("max_cost").then_some(arguments.max_cost);
    changes.effort = arguments.request.options().reasoning.filter(|_| is_given("effort"));
    changes.answer_schema = arguments.script.schema.as_deref().map(read_schema).transpose()?;
    Ok(changes)
}

/// Returns the options of this process for a run with these settings.
pub(crate) fn session_options(
    arguments: &Run,
    app: &App,
    settings: &RunSettings,
    stop: &CancellationToken,
) -> anyhow::Result<SessionOptions> {
    let mut options = SessionOptions::new(choose_people(app, &arguments.approval, &settings.root)?);
    options.providers = arguments.reach.options();
    options.cancellation = stop.clone();
    Ok(options)
}

/// Returns the task with its pictures and files. They are read on a thread that may block.
async fn read_task(arguments: &Run) -> anyhow::Result<Task> {
    let task = Task::new(task(arguments)?);
    let (images, files) = (arguments.image.clone(), arguments.file.clone());
    let read = move || {
        let task = images.into_iter().try_fold(task, Task::attach_image)?;
        files.into_iter().try_fold(task, Task::attach_file)
    };
    Ok(tokio::task::spawn_blocking(read).await??)
}

/// Returns the task in words. `-` reads it from standard input. Otherwise piped text is appended to the words of the
/// task, as in `cat log | windlass run "explain this"`.
fn task(arguments: &Run) -> anyhow::Result<String> {
    let words = arguments.task.as_deref().context("the task is missing: describe what to do")?;
    let task = match words {
        "-" => input::text("-".as_ref())?,
        // With `--ask` the lines of standard input are answers to questions, not a part of the task.
        words if arguments.approval.ask => words.to_owned(),
        words => match input::read_piped()? {
            Some(text) => format!("{words}\n\n<stdin>\n{text}\n</stdin>"),
            None => words.to_owned(),
        },
    };
    anyhow::ensure!(!task.trim().is_empty(), "the task is empty: describe what to do");
    Ok(task)
}

/// Returns the settings of a new run from the command line's options.
pub(crate) fn settings_of(arguments: &Run, app: &App, task: String) -> anyhow::Result<RunSettings> {
    let Run { provider, base_url, wire, model, .. } = arguments;
    let choice = provider_choice(provider.as_ref(), base_url.as_ref(), *wire, model.as_ref());
    let options = arguments.reach.options();
    let provider = Provider::select(app, &choice, &options)?;
    let fallbacks = provider.parse_fallbacks(app, &arguments.fallback, &options);
    let mut settings = RunSettings::new(task, provider, &arguments.root)?;
    if let Some(file) = &arguments.policy {
        settings = settings.with_policy_file(file)?;
    }
    settings.preset = arguments.preset.preset();
    settings.sandbox = arguments.sandbox.confinement();
    settings.autonomy = arguments.autonomy.autonomy();
    settings.offering = arguments.offering.selection();
    settings.servers = !arguments.no_mcp;
    settings.max_turns = arguments.max_turns;
    settings.max_cost = arguments.max_cost;
    settings.answer_schema = arguments.script.schema.as_deref().map(read_schema).transpose()?;
    settings.until_done = arguments.until_done;
    settings.no_checkpoints = arguments.no_checkpoints;
    settings.context_window = arguments.context_window.unwrap_or_default();
    settings.budget = budget_of(arguments, app, &settings.provider, &options)?;
    settings.request = arguments.request.options();
    settings.prompt = arguments.prompt.options()?;
    settings.fallbacks = fallbacks?;
    settings.protocol = arguments.protocol.map(ProtocolName::protocol);
    settings.dialect = arguments.dialect.map(|dialect| dialect.name().to_owned());
    Ok(settings)
}

/// Returns the prices of a run. They are in US dollars if they are those of the table.
pub(crate) fn prices_of(
    app: &App,
    settings: &RunSettings,
    options: &ProviderOptions,
) -> anyhow::Result<RunPrices> {
    let prices = settings.budget.prices;
    let listed = settings.provider.price(app, options)?.filter(|price| price.as_of.is_some());
    let is_listed = listed.is_some_and(|price| price.prices == prices);
    Ok(RunPrices::new(prices, is_listed.then_some("USD")))
}

/// Returns the budget of a run with the prices of its model, if they are known.
fn budget_of(
    arguments: &Run,
    app: &App,
    provider: &Provider,
    options: &ProviderOptions,
) -> anyhow::Result<Budget> {
    let listed = provider.price(app, options)?.map(|price| price.prices);
    let budget = arguments.budget(listed);
    for (limit, option) in [(budget.cost, "--ask-after-cost"), (arguments.max_cost, "--max-cost")] {
        anyhow::ensure!(
            limit == 0 || budget.prices.is_known(),
            "{option} needs the price of {}, which is unknown: add --price IN,OUT with the prices of a million tokens",
            provider.model
        );
    }
    Ok(budget)
}

async fn resume(
    arguments: &Run,
    app: &App,
    folder: RunFolder,
    stop: &CancellationToken,
) -> anyhow::Result<Session> {
    let id = folder.id.clone();
    let options = if folder.is_workflow() {
        // The library refuses the run without using the options.
        SessionOptions::new(choose_people(app, &arguments.approval, Path::new("/"))?)
    } else {
        session_options(arguments, app, &folder.settings()?, stop)?
    };
    let resumed = Session::resume(app, folder, &options, arguments.salvage).await;
    let is_damaged = |error: &AppError| matches!(error.downcast_ref(), Some(JournalError::Damaged { .. }));
    if !arguments.salvage && resumed.as_ref().is_err_and(is_damaged) {
        output::note(&format!(
            "continue from the entries before the damage with: windlass run --resume {id} --salvage"
        ));
    }
    Ok(resumed?)
}

/// Replays a recorded run and reports where it differs. Writes no journal and no run folder.
async fn replay(arguments: &Run, app: &App, file: &Path) -> anyhow::Result<ExitCode> {
    let stop = CancellationToken::new();
    let settings = SessionOptions::read_recorded_settings(file)?;
    let options = session_options(arguments, app, &settings, &stop)?;
    let Replay { events, recording, .. } = Replay::start(app, file, &options).await?;
    let telling = Telling::from_flags(arguments.json, arguments.script.print);
    let outcome = drive(events, &mut Show::new(), telling, &stop, None).await?;
    if telling == Telling::Answer {
        print_answer(&outcome, AnswerForm::new(&settings)?.as_ref())?;
    }
    let is_same = tell_differences(&recording.finish()?);
    if is_same {
        output::note("the run matches its recording");
    }
    let completed = matches!(outcome, Outcome::Completed { .. });
    Ok(if is_same && completed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the differences between a replay and its recording. Returns true if both are equal.
pub(crate) fn tell_differences(differences: &[Difference]) -> bool {
    for difference in differences {
        output::note(&format!("the replay differs: {difference}"));
    }
    differences.is_empty()
}

/// The tokens of a run with those of its sub-agents, and the prices of its model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunCost {
    pub(crate) total: Tokens,
    pub(crate) prices: RunPrices,
}

/// Prints the token usage, the journal's path and the command that resumes the run, and returns the exit
/// code.
pub(crate) fn report_end(
    folder: &RunFolder,
    store: &StoreOption,
    outcome: &Outcome,
    show: &Show,
    cost: &RunCost,
) -> ExitCode {
    let store = store.describe();
    output::note(&format!(
        "{}, {}; journal: {}",
        cost.total.describe(),
        cost.prices.describe_cost(cost.total.cost, show.has_unreported),
        folder.describe_journal()
    ));
    if matches!(outcome, Outcome::Completed { .. }) {
        output::note(&format!("continue with: windlass run --continue {} \"…\"{store}", folder.id));
        return ExitCode::SUCCESS;
    }
    if matches!(outcome, Outcome::Suspended { .. }) {
        output::note(&format!(
            "answer with: windlass approvals{store} list {0} --full; then continue with: windlass run --resume {0}{store}",
            folder.id
        ));
        return ExitCode::from(SUSPENDED);
    }
    output::note(&format!("continue with: windlass run --resume {}{store}", folder.id));
    exit_code(show)
}

/// Returns the exit code of a run that did not complete: `INTERRUPTED` after Ctrl-C, otherwise a failure.
pub(crate) fn exit_code(show: &Show) -> ExitCode {
    if show.is_interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::FAILURE }
}
