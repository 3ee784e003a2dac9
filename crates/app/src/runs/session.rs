//! Sessions: runs that are started, resumed, forked and replayed with their records.

use std::path::Path;

use windlass_agent::{Agent, EventStream, RunOptions, RunningCalls};
use windlass_cassette::{Fork, Player};
use windlass_journal::Journal;
use windlass_protocol::Part;
use windlass_redact::Redactor;
use windlass_tool::CancellationToken;
use windlass_toolbox::Toolbox;
use windlass_tools_shell::Shell;

use super::checkpoints::{add_checkpoints, make_missing_checkpoint};
use super::feeds::{RecordBefore, add_history, link_settings, resume_feed, start_feed};
use super::run_journal::{create_journal, open_journal};
use super::session_options::{SessionOptions, read_run_settings};
use super::{Inbox, OpenQuestions, Recording, RunAnswers, RunFolder};
use crate::app::App;
use crate::assembly::{AnswerForm, Assembly, build_shell, warn_about_confinement};
use crate::config::{RunSettings, to_message};
use crate::error::{Remedy, Result, ensure, one_line};
use crate::feed::RunFeed;
use crate::instructions::complete_settings;
use crate::policies::ProtectedPaths;
use crate::secrets::collect_run_secrets;

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

impl Session {
    /// Starts a run in a new folder. Reports every error of the settings before the folder is created.
    ///
    /// # Errors
    ///
    /// Fails if a setting cannot be used, or if a record cannot be written.
    pub async fn start(app: &App, mut settings: RunSettings, options: &SessionOptions) -> Result<Self> {
        let record = options.record.as_deref();
        let shell = ProtectedPaths::new(app, None).with_records(record).hide(open_shell(app, &settings)?);
        Assembly::new(app, &settings, &options.people, &options.providers, &shell, None)?
            .with_link(&options.link)
            .check()?;
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
        let assembly = assembly.with_recording(&recording).with_link(&options.link);
        let agent = assembly.build().await?;
        let journal = create_journal(&folder, &options.cancellation)?;
        let feed = start_feed(app, &folder, &settings, options.feed_options())?;
        let calls = RunningCalls::default();
        let inbox = Inbox::new(&folder, feed.start(), calls.clone(), options.cancellation.clone());
        let run = run_options(&folder, feed.wrap(journal), &options.cancellation);
        let run = add_history(run, &options.link).with_messages(inbox.messages());
        let run = run.with_running_calls(calls.clone());
        let run = add_checkpoints(run, app, &folder, &settings);
        let schema = AnswerForm::new(&settings)?;
        let toolbox = agent.toolbox().cloned();
        let events = if settings.only_compacts {
            agent.compact_with(run)
        } else {
            let task = to_message(settings.task, parts);
            let (task, run) = AnswerForm::begin(schema.as_ref(), &agent, task, run);
            agent.stream_with(task, run)
        };
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
        let assembly = assembly.with_answers(&answers).with_link(&options.link);
        let agent = assembly.build().await?;
        let before = RecordBefore::read(app, &folder, &settings, options.feed_options())?;
        let mut feed = resume_feed(app, &folder, &settings, options.feed_options(), &records)?;
        for (question, window) in answers.windows() {
            feed.set_window(question, window);
        }
        let calls = RunningCalls::default();
        let inbox = Inbox::new(&folder, feed.start(), calls.clone(), options.cancellation.clone());
        let run = run_options(&folder, feed.wrap(journal), &options.cancellation);
        let run = answers.add_to(run).with_messages(inbox.messages()).with_running_calls(calls.clone());
        // A failed checkpoint must not prevent the resume.
        if let Err(error) = make_missing_checkpoint(&folder, &settings, &records) {
            app.warn(format!("no checkpoint after the interrupted call: {}", one_line(&error)));
        }
        let run = add_checkpoints(run, app, &folder, &settings);
        let schema = AnswerForm::new(&settings)?;
        let run = AnswerForm::resume(schema.as_ref(), &agent, run);
        let events = match agent.resume(run) {
            Ok(events) => events,
            Err(refusal) => {
                drop(feed);
                before.restore()?;
                return Err(refusal.into());
            }
        };
        let toolbox = agent.toolbox().cloned();
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
        let run = add_checkpoints(run, app, &folder, &settings).with_running_calls(calls.clone());
        let schema = AnswerForm::new(&settings)?;
        let task = to_message(settings.task.clone(), parts);
        let (task, run) = AnswerForm::begin(schema.as_ref(), &agent, task, run);
        let events = agent.stream_with(task, run);
        let inbox = Inbox::new(&folder, feed.start(), calls.clone(), options.cancellation.clone());
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

/// Removes secrets from the text of a task and from its text files.
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
