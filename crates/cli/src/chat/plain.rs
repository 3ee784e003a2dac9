//! A conversation as lines, for terminals that cannot move their cursor and for screen readers.

use std::io::{self, BufRead as _};
use std::process::ExitCode;

use anyhow::Context as _;
use windlass_app::App;
use windlass_app::runs::Session;
use windlass_app::sessions::{Continuation, RunChanges, Sessions};
use windlass_tool::CancellationToken;

use crate::arguments::Run;
use crate::drive::{RunParts, Telling, drive};
use crate::output;
use crate::run::{INTERRUPTED, session_options, settings_of};
use crate::show::Show;

/// Reads tasks line by line. Each one is a run of the same session, printed as `windlass run` prints it.
pub(crate) async fn chat(arguments: Run, app: &App) -> anyhow::Result<ExitCode> {
    let app = &arguments.store.open(app)?;
    let sessions = Sessions::new(app)?;
    // An option that cannot be used is reported before the first task.
    settings_of(&arguments, app, String::new())?;
    let named = arguments.resume.as_deref().or(arguments.continued.as_deref());
    let mut session = match named {
        Some("") => anyhow::bail!("--resume needs a session without a list: name one, or `last`"),
        Some(name) => Some(sessions.find(name)?.id),
        None => None,
    };
    output::print("A line is a task; an empty line or Ctrl-D ends the conversation.\n")?;
    loop {
        let task = tokio::select! {
            task = read_task() => task?,
            _ = tokio::signal::ctrl_c() => return Ok(ExitCode::from(INTERRUPTED)),
        };
        let Some(task) = task else { break };
        let stop = CancellationToken::new();
        let next = start(&arguments, app, (&sessions, session.as_deref()), task, &stop).await;
        match next {
            Ok(run) => session = Some(follow(run, &stop).await?),
            Err(error) => output::complain(&error),
        }
    }
    if let Some(session) = session {
        output::note(&format!("continue with: windlass --plain --resume {session}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Starts the run of a task in a session, or in a new one.
async fn start(
    arguments: &Run,
    app: &App,
    (sessions, session): (&Sessions, Option<&str>),
    task: String,
    stop: &CancellationToken,
) -> anyhow::Result<Session> {
    let Some(session) = session else {
        let settings = settings_of(arguments, app, task)?;
        let options = session_options(arguments, app, &settings, stop)?;
        return Ok(Session::start(app, settings, &options).await?);
    };
    match sessions.continue_with(session, &task, &RunChanges::default())? {
        Continuation::NewRun { settings, link, .. } => {
            let mut options = session_options(arguments, app, &settings, stop)?;
            options.link = link;
            Ok(Session::start(app, settings, &options).await?)
        }
        Continuation::Resume { folder, .. } => {
            let options = session_options(arguments, app, &folder.settings()?, stop)?;
            Ok(Session::resume(app, folder, &options, false).await?)
        }
        _ => anyhow::bail!("this version cannot continue session {session}"),
    }
}

/// Prints a run to its end, and returns the id of its session.
async fn follow(run: Session, stop: &CancellationToken) -> anyhow::Result<String> {
    let Session { events, inbox, recording, mut feed, .. } = run;
    let id = feed.session().to_owned();
    let mut show = Show::new();
    let parts = RunParts { inbox: &inbox, feed: &mut feed };
    drive(events, &mut show, Telling::Words, stop, Some(parts)).await?;
    recording.finish()?;
    Ok(id)
}

/// Reads the next line outside of the async threads. Returns `None` at the end.
async fn read_task() -> anyhow::Result<Option<String>> {
    output::print("› ")?;
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        let count = io::stdin().lock().read_line(&mut line)?;
        Ok::<_, io::Error>((count > 0).then_some(line))
    });
    let line = read.await.context("the reader of the terminal failed")??;
    Ok(line.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()))
}
