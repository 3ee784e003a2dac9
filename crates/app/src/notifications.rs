//! Notifications for a person who is away: when a run asks, ends or fails.
//!
//! The table `[notify]` of the user's `config.toml` names a command, a webhook, or both. A notification names the tool of a
//! question, and never arguments, texts or paths. The command runs outside of the sandbox, like a program that the user
//! starts: only the user can write the file, which no tool reaches.

mod delivery;

use std::fmt;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

use self::delivery::Delivery;
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::{Result, ensure, one_line};
use crate::feed::{FeedEvent, FeedFollower, FeedKind, Question, RunOutcome};

/// Name of the file that had these settings before.
const OLD_FILE: &str = "notify.toml";

/// Kind of a notification about a question.
const QUESTION: &str = "question";

/// Notifications that can wait. A further one is dropped, because the person has many already.
const WAITING: usize = 16;

/// Time that the end of a run waits for notifications that are not delivered yet.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// The ways to notify the user.
#[derive(Clone, Debug, Default)]
struct NotifySettings {
    /// A program with its arguments. It gets the text as a further argument, and the notification as JSON on its standard
    /// input.
    command: Vec<String>,
    /// An address to which the notification is posted as JSON.
    webhook: Option<String>,
}

/// A notification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Notification {
    /// `question`, `ended` or `failed`.
    event: &'static str,
    session: String,
    run: String,
    /// The tool that a question is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    text: String,
}

/// Follower of a run's feed that notifies the user.
pub(crate) struct Notifier {
    queue: Option<SyncSender<Notification>>,
    has_person: bool,
    /// Is closed when every notification is delivered. A lock makes it shareable.
    delivered: Mutex<Receiver<()>>,
}

impl Notifier {
    /// Starts a notifier if the user has configured notifications. A wrong configuration is a warning, and the run works
    /// without notifications. Without a person, questions are answered by the program and not notified.
    pub(crate) fn start(app: &App, root: &Path, has_person: bool) -> Option<Self> {
        warn_about_old_file(app);
        let delivery = match load(app, root) {
            Ok(settings) => Delivery::new(settings?, app.notices().clone()),
            Err(error) => {
                app.warn(format!("notifications are off: {}", one_line(&error)));
                return None;
            }
        };
        let (queue, notifications) = sync_channel(WAITING);
        let (sender, delivered) = channel();
        let work = move || {
            delivery.run(&notifications);
            drop(sender);
        };
        // A thread, because the process of a command is awaited, and the runtime of a run can end before.
        match std::thread::Builder::new().name("windlass-notify".to_owned()).spawn(work) {
            Ok(_) => Some(Self { queue: Some(queue), has_person, delivered: Mutex::new(delivered) }),
            Err(error) => {
                app.warn(format!("notifications are off: {error}"));
                None
            }
        }
    }
}

/// Reads the settings. Returns `None` if they name no way.
fn load(app: &App, root: &Path) -> Result<Option<NotifySettings>> {
    let configuration = Configuration::load(app, root, None)?;
    let command = configuration.list("notify.command").to_vec();
    let webhook = configuration.text("notify.webhook").map(str::to_owned);
    if let Some(address) = &webhook {
        ensure!(is_safe(address), Invalid, "`notify.webhook` of config.toml needs an https address");
    }
    let has_way = !command.is_empty() || webhook.is_some();
    Ok(has_way.then_some(NotifySettings { command, webhook }))
}

/// Warns about the file of earlier versions, which is not read.
fn warn_about_old_file(app: &App) {
    if let Some(file) = app.settings_file(OLD_FILE).filter(|file| file.exists()) {
        app.warn(format!(
            "{} is not read any more: move its lines into your config.toml, below a line with [notify], and delete it",
            file.display()
        ));
    }
}

/// Returns true if an address is encrypted or on this machine.
fn is_safe(address: &str) -> bool {
    let is_local = ["http://127.0.0.1", "http://localhost", "http://[::1]"].iter().any(|start| {
        let rest = address.strip_prefix(start);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
    });
    // A user name before `@` could look like this machine.
    !address.contains('@') && (is_local || address.starts_with("https://"))
}

impl Notification {
    /// Returns the notification about an event, if a person needs to know it.
    fn from_event(event: &FeedEvent) -> Option<Self> {
        let (kind, tool, text) = match &event.kind {
            FeedKind::QuestionOpened { card: Question::Call { card }, .. } => {
                (QUESTION, Some(card.tool.clone()), format!("{} waits for an answer", card.tool))
            }
            FeedKind::QuestionOpened { .. } => (QUESTION, None, "an agent asks a question".to_owned()),
            FeedKind::RunEnded { outcome, .. } if event.agent.is_none() => match outcome {
                RunOutcome::Failed { .. } => ("failed", None, "a run failed".to_owned()),
                RunOutcome::Completed { .. } => ("ended", None, "a run is done".to_owned()),
                RunOutcome::Suspended { .. } => ("ended", None, "a run is suspended".to_owned()),
                RunOutcome::Stopped { .. } => ("ended", None, "a run stopped".to_owned()),
            },
            FeedKind::Error { .. } if event.agent.is_none() => ("failed", None, "a run failed".to_owned()),
            _ => return None,
        };
        Some(Self {
            event: kind,
            session: event.session.clone(),
            run: event.run.clone(),
            tool,
            text: format!("Windlass: {text}"),
        })
    }
}

impl FeedFollower for Notifier {
    fn follow(&mut self, events: &[FeedEvent]) -> Result<()> {
        if let Some(queue) = &self.queue {
            let notifications = events.iter().filter_map(Notification::from_event);
            for notification in notifications.filter(|one| self.has_person || one.event != QUESTION) {
                // A full queue drops it, and a run never waits for a notification.
                drop(queue.try_send(notification));
            }
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.queue = None;
        // The program may end after its run. A command that hangs does not delay it for long.
        let delivered = self.delivered.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = delivered.recv_timeout(LAST_WAIT);
    }
}

impl fmt::Debug for Notifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notifier").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
