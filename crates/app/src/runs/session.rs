//! Sessions: runs that are started, resumed, forked and replayed with their records.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_agent::{Agent, EventStream, RunOptions, RunningCalls};
use windlass_cassette::{Fork, Player};
use windlass_journal::{FileJournal, Journal, Tail};
use windlass_protocol::Part;
use windlass_redact::Redactor;
use windlass_tool::CancellationToken;
use windlass_toolbox::Toolbox;
use windlass_tools_shell::Shell;

use super::checkpoints::{add_checkpoints, make_missing_checkpoint};
use super::feeds::{FeedOptions, add_history, link_settings, resume_feed, start_feed};
use super::inbox::store_message;
use super::{Inbox, MessageTime, OpenQuestions, Recording, RunAnswers, RunFolder};
use crate::app::App;
use crate::assembly::{AnswerForm, Assembly, People, build_shell, warn_about_confinement};
use crate::config::{RunSettings, to_message};
use crate::error::{Context as _, Remedy, Result, ensure, one_line};
use crate::feed::{GuidanceSlot, RunFeed};
use crate::instructions::complete_settings;
use crate::policies::ProtectedPaths;
use crate::providers::ProviderOptions;
use crate::secrets::collect_run_secrets;
use crate::sessions::link::SessionLink;
use crate::sessions::store::SessionStore;

/// Message to a model that continues after the end of its journal was dropped.
const RECORD_WAS_DAMAGED: &str = "The record of this run was damaged, and its last steps are lost. Check \
                                  the current state of your work before you continue; calls that you made \
                                  in the lost steps may have run.";

/// Options of one process that starts or continues a run. They are not stored.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionOptions {
    /// The people who approve calls and answer questions.
    pub people: People,
    /// Options for every provider.
    pub providers: ProviderOptions,
    /// File for a recording of the run. It must not exist.
    pub record: Option<PathBuf>,
    /// Cancels the run. Every started call still gets its result.
    pub cancellation: CancellationToken,
    /// The session of a new run. The default is a session of its own.
    pub link: SessionLink,
    /// The store of sessions, if it is not the one of the handle.
    pub(crate) sessions: Option<Arc<dyn SessionStore>>,
    /// Receives the question about how the run continues.
    pub(crate) guidance: GuidanceSlot,
}

impl SessionOptions {
    /// Creates options without a recording.
    pub fn new(people: People) -> Self {
        Self {
            people,
            providers: ProviderOptions::default(),
            record: None,
            cancellation: CancellationToken::new(),
            link: SessionLink::default(),
            sessions: None,
            guidance: GuidanceSlot::default(),
        }
    }
}

/// A run of an agent that works in this process.
#[derive(Debug)]
#[non_exhaustive]
pub struct Session {
    /// The run's folder.
    pub folder: RunFolder,
    /// The events of the run. The run proceeds while they are read, and is cancelled when they are dropped.
    pub events: EventStream,
    /// Messages to the run. Pass each event to [`Inbox::follow`].
    pub inbox: Inbox,
    /// The calls that work, through which one of them can be stopped.
    pub calls: RunningCalls,
    /// The recording of the run. Call [`Recording::finish`] at the end.
    pub recording: Recording,
    /// The feed of the run. Pass each event to [`RunFeed::observe`], and call [`RunFeed::settle`] at the end.
    pub feed: RunFeed,
    /// The tools of the run, as they are when it begins.
    pub(crate) toolbox: Option<Toolbox>,
}

/// A recorded run that happens again, without a network and without running a tool.
#[derive(Debug)]
#[non_exhaustive]
pub struct Replay {
    /// The events of the run.
    pub events: EventStream,
    /// The recording. [`Recording::finish`] returns the differences.
    pub recording: Recording,
}

impl Session {
    /// Starts a run in a new folder. Reports every error of the settings before the folder is created.
    ///
    /// # Errors
    ///
    /// Fails if a setting cannot be used, or if a record cannot be written.
    pub async fn start(app: &App, mut settings: RunSettings, options: &SessionOptions) -> Result<Self> {
        let record = options.record.as_deref();
        let shell = ProtectedPaths::new(app, None).with_records(record).hide(open_shell(app, &settings)?);
        Assembly::new(app, &settings, &options.people, &options.providers, &shell, None)?.check()?;
        let secrets = collect_run_secrets(app, &settings, &options.providers)?;
        // Secrets in the task must not reach the conversation either.
        let redactor = Redactor::new(secrets.clone());
        redact_task(&mut settings, &redactor);
        complete_settings(app, &mut settings, &shell, &redactor).await?;
        let recording = Recording::none().write_to(record, &settings, secrets)?;
        // The first record of the run has the parts, and they can be large.
        let parts = std::mem::take(&mut settings.parts);
        let folder = match &options.link.id {
            Some(id) => RunFolder::create_as(app, id)?,
            None => RunFolder::create(app)?,
        };
        link_settings(&mut settings, &folder, &options.link);
        folder.write_settings(&settings)?;
        let assembly =
            Assembly::new(app, &settings, &options.people, &options.providers, &shell, Some(&folder))?;
        let agent = assembly.with_recording(&recording).build().await?;
        let journal = create_journal(&folder, &options.cancellation)?;
        let feed = start_feed(app, &folder, &settings, options.feed_options())?;
        let calls = RunningCalls::default();
        let inbox = Inbox::new(&folder, calls.clone());
        let run = run_options(&folder, feed.wrap(journal), &options.cancellation);
        let run = add_history(run, &options.link).with_messages(inbox.messages());
        let run = run.with_running_calls(calls.clone());
        let run = add_checkpoints(run, &folder, &settings);
        let schema = AnswerForm::new(&settings)?;
        let (task, run) = AnswerForm::begin(schema.as_ref(), &agent, to_message(settings.task, parts), run);
        let (toolbox, events) = (agent.toolbox().cloned(), agent.stream_with(task, run));
        Ok(Self { folder, events, inbox, calls, recording, feed, toolbox })
    }

    /// Continues a run that was suspended, stopped or killed, with the answers that were stored for it. With
    /// `salvage`, a damaged journal is cut before its first damaged line, the old file is kept, and the model
    /// receives a message about the loss.
    ///
    /// # Errors
    ///
    /// Fails if the run is of a workflow, if its records cannot be read, or if another process works on it.
    pub async fn resume(
        app: &App,
        folder: RunFolder,
        options: &SessionOptions,
        salvage: bool,
    ) -> Result<Self> {
        ensure!(
            !folder.is_workflow(),
            Conflict,
            remedy: Remedy::ResumeWorkflow(folder.id.clone()),
            "run {} is a workflow run",
            folder.id
        );
        let settings = folder.settings()?;
        let shell = open_shell(app, &settings)?;
        let journal = open_journal(app, &folder, &options.cancellation, salvage)?;
        let records = journal.records()?;
        let answers = RunAnswers::load(app, &folder, &OpenQuestions::load(&folder)?)?;
        let assembly =
            Assembly::new(app, &settings, &options.people, &options.providers, &shell, Some(&folder))?;
        let agent = assembly.with_answers(&answers).build().await?;
        let mut feed = resume_feed(app, &folder, &settings, options.feed_options(), &records)?;
        for (question, window) in answers.windows() {
            feed.set_window(question, window);
        }
        let calls = RunningCalls::default();
        let inbox = Inbox::new(&folder, calls.clone());
        let run = run_options(&folder, feed.wrap(journal), &options.cancellation);
        let run = answers.add_to(run).with_messages(inbox.messages()).with_running_calls(calls.clone());
        // A failed checkpoint must not prevent the resume.
        if let Err(error) = make_missing_checkpoint(&folder, &settings, &records) {
            app.warn(format!("no checkpoint after the interrupted call: {}", one_line(&error)));
        }
        let run = add_checkpoints(run, &folder, &settings);
        let schema = AnswerForm::new(&settings)?;
        let run = AnswerForm::resume(schema.as_ref(), &agent, run);
        let (toolbox, events) = (agent.toolbox().cloned(), agent.resume(run)?);
        Ok(Self { folder, events, inbox, calls, recording: Recording::none(), feed, toolbox })
    }

    /// Replays a recorded run in a new folder up to a call, changes the call's result, and continues live.
    ///
    /// # Errors
    ///
    /// Fails if the recording cannot be read, or if its folder does not exist.
    pub async fn fork(app: &App, cassette: &Path, fork: Fork, options: &SessionOptions) -> Result<Self> {
        let player = Player::fork(cassette, fork)?;
        let mut settings = read_run_settings(&player, cassette)?;
        let root = settings.root.clone();
        ensure!(root.is_dir(), NotFound, "the run worked in {}, which does not exist", root.display());
        app.inform(format!(
            "the folder {} is used in its current state: changes that the recorded run made before the fork \
             are not repeated",
            root.display()
        ));
        let secrets = collect_run_secrets(app, &settings, &options.providers)?;
        let record = options.record.as_deref();
        let recording = Recording::fork(player).write_to(record, &settings, secrets)?;
        let folder = RunFolder::create(app)?;
        link_settings(&mut settings, &folder, &options.link);
        let parts = std::mem::take(&mut settings.parts);
        folder.write_settings(&settings)?;
        let records = record.into_iter().chain([cassette]);
        let shell = build_shell(app, settings.sandbox, settings.policy.as_deref())?;
        let shell = ProtectedPaths::new(app, None).with_records(records).hide(shell);
        warn_about_confinement(app, &shell);
        let assembly =
            Assembly::new(app, &settings, &options.people, &options.providers, &shell, Some(&folder))?;
        let agent = assembly.with_recording(&recording).build().await?;
        let journal = create_journal(&folder, &options.cancellation)?;
        let feed = start_feed(app, &folder, &settings, options.feed_options())?;
        let run = run_options(&folder, feed.wrap(journal), &options.cancellation);
        let calls = RunningCalls::default();
        let run = add_checkpoints(run, &folder, &settings).with_running_calls(calls.clone());
        let schema = AnswerForm::new(&settings)?;
        let task = to_message(settings.task.clone(), parts);
        let (task, run) = AnswerForm::begin(schema.as_ref(), &agent, task, run);
        let events = agent.stream_with(task, run);
        let inbox = Inbox::new(&folder, calls.clone());
        Ok(Self { folder, events, inbox, calls, recording, feed, toolbox: agent.toolbox().cloned() })
    }
}

/// Builds the agent of a worker of a durable engine. The engine keeps the records of its runs, so the agent
/// has no run folder, and its questions go to the engine instead of `options.people`.
///
/// # Errors
///
/// Fails if a setting cannot be used, or if a required MCP server fails.
pub async fn build_worker_agent(
    app: &App,
    settings: &RunSettings,
    options: &SessionOptions,
) -> Result<Agent> {
    let shell = ProtectedPaths::new(app, None).hide(open_shell(app, settings)?);
    Assembly::new(app, settings, &options.people, &options.providers, &shell, None)?.build().await
}

impl Replay {
    /// Lets a recorded run happen again. Writes no journal and no run folder.
    ///
    /// # Errors
    ///
    /// Fails if the recording cannot be read.
    pub async fn start(app: &App, cassette: &Path, options: &SessionOptions) -> Result<Self> {
        let player = Player::open(cassette)?;
        let settings = read_run_settings(&player, cassette)?;
        let recording = Recording::replay(player);
        // No tool runs, but decisions depend on the confinement that a process would get.
        let shell = build_shell(app, settings.sandbox, settings.policy.as_deref())?;
        let assembly = Assembly::new(app, &settings, &options.people, &options.providers, &shell, None)?;
        let agent = assembly.with_recording(&recording).build().await?;
        let run = RunOptions::default().with_cancellation(options.cancellation.clone());
        let schema = AnswerForm::new(&settings)?;
        let task = to_message(settings.task, settings.parts);
        let (task, run) = AnswerForm::begin(schema.as_ref(), &agent, task, run);
        Ok(Self { events: agent.stream_with(task, run), recording })
    }
}

impl SessionOptions {
    fn feed_options(&self) -> FeedOptions<'_> {
        FeedOptions {
            link: &self.link,
            sessions: self.sessions.as_ref(),
            guidance: &self.guidance,
            has_person: self.people.accepts_tools,
        }
    }

    /// Reads the settings of a recorded run, for example its root folder.
    ///
    /// # Errors
    ///
    /// Fails if the file is not a recording of a run.
    pub fn read_recorded_settings(cassette: &Path) -> Result<RunSettings> {
        read_run_settings(&Player::open(cassette)?, cassette)
    }
}

fn read_run_settings(player: &Player, cassette: &Path) -> Result<RunSettings> {
    serde_json::from_value(player.settings().clone())
        .with_context(|| format!("{} is not the recording of a run", cassette.display()))
}

/// Removes secrets from the words of a task and from its texts.
fn redact_task(settings: &mut RunSettings, redactor: &Redactor) {
    settings.task = redactor.redact(&settings.task).into_owned();
    for part in &mut settings.parts {
        if let Part::Text(text) = part {
            text.text = redactor.redact(&text.text).into_owned();
        }
    }
}

/// Returns the shell of a run. Sends a notice if commands are not fully confined.
pub(crate) fn open_shell(app: &App, settings: &RunSettings) -> Result<Shell> {
    let shell = build_shell(app, settings.sandbox, settings.policy.as_deref())?;
    warn_about_confinement(app, &shell);
    Ok(shell)
}

type RunJournal = Box<dyn Journal + Send>;

fn run_options(
    folder: &RunFolder,
    journal: impl Journal + Send + 'static,
    cancellation: &CancellationToken,
) -> RunOptions {
    RunOptions::default()
        .with_run_id(folder.id.as_str())
        .with_journal(journal)
        .with_cancellation(cancellation.clone())
        .with_outputs(folder.outputs())
}

fn create_journal(folder: &RunFolder, cancellation: &CancellationToken) -> Result<RunJournal> {
    match folder.shared() {
        Some(shared) => Ok(Box::new(shared.open_journal(folder.outputs(), cancellation)?)),
        None => Ok(Box::new(FileJournal::create(folder.journal())?)),
    }
}

fn open_journal(
    app: &App,
    folder: &RunFolder,
    cancellation: &CancellationToken,
    salvage: bool,
) -> Result<RunJournal> {
    match folder.shared() {
        Some(shared) => Ok(Box::new(shared.open_journal(folder.outputs(), cancellation)?)),
        None if salvage => Ok(Box::new(salvage_journal(app, folder)?)),
        None => Ok(Box::new(open_file(app, folder)?)),
    }
}

fn open_file(app: &App, folder: &RunFolder) -> Result<FileJournal> {
    let (journal, tail) = FileJournal::open(folder.journal())?;
    if let Tail::Torn { bytes } = tail {
        app.inform(format!("the last record had been cut by a crash; its {bytes} bytes were dropped"));
    }
    Ok(journal)
}

fn salvage_journal(app: &App, folder: &RunFolder) -> Result<FileJournal> {
    let (journal, salvaged) = FileJournal::salvage(folder.journal())?;
    if let Some(salvaged) = salvaged {
        app.inform(format!(
            "the record was damaged at line {}; {} bytes from there on are left out, and kept in {}",
            salvaged.line,
            salvaged.bytes,
            salvaged.copy.display()
        ));
        store_message(folder, RECORD_WAS_DAMAGED, MessageTime::AfterTurn)?;
    }
    Ok(journal)
}
