//! The connection of a conversation with the sessions of the host. Every request works in a task of its own.

use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use windlass_agent::DeliverAt;
use windlass_app::sessions::{
    Answer, AnswerError, AnswerPlace, MessageHistory, RunHandle, SessionHost, SessionState,
};
use windlass_app::{AppError, RunSettings, causes};

use super::listing::{describe_session, list_files, now_ms, to_choice, write_export};
use super::{changes, checkpoints, configuration, requests};
use crate::CommandRunner;
use crate::action::{Action, Changes};
use crate::input::{Input, Reply};

/// Time for the end of a run whose last event has arrived.
const LAST_EVENT: Duration = Duration::from_secs(10);
/// Maximum number of sessions in the picker.
const MAX_SESSIONS: usize = 200;

/// Connection with a session of the host.
#[derive(Debug)]
pub(super) struct Link {
    parts: Parts,
    feed: mpsc::Sender<Input>,
    template: RunSettings,
    session: Option<String>,
    watch: Option<JoinHandle<()>>,
    commands: Option<CommandRunner>,
}

/// The parts that requests share.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) host: SessionHost,
    replies: mpsc::UnboundedSender<Reply>,
    pub(super) root: PathBuf,
    /// The policy file of the runs, if it is not the user's default one.
    pub(super) policy: Option<PathBuf>,
    pub(super) window: String,
}

impl Parts {
    pub(super) fn reply(&self, reply: Reply) {
        // Without a reader the conversation has ended.
        drop(self.replies.send(reply));
    }

    /// Runs work that reads or writes files, and sends its reply.
    fn work(&self, work: impl FnOnce(&Self) -> Result<Reply, AppError> + Send + 'static) {
        let parts = self.clone();
        tokio::task::spawn_blocking(move || {
            let reply = work(&parts).unwrap_or_else(|error| Reply::Error(describe(&error)));
            parts.reply(reply);
        });
    }

    pub(super) fn report(&self, started: Result<RunHandle, AppError>, task: String) {
        self.reply(match started {
            Ok(run) => Reply::Started { session: run.session().to_owned() },
            Err(error) => Reply::NotStarted { task, message: describe(&error) },
        });
    }

    /// Waits until the host has forgotten a run whose last event arrived.
    pub(super) async fn wait_for_end(&self, session: &str) {
        if let Some(run) = self.host.handle(session) {
            drop(tokio::time::timeout(LAST_EVENT, run.wait()).await);
        }
    }
}

pub(super) fn describe(error: &AppError) -> String {
    causes(error).join("\nbecause: ")
}

impl Link {
    pub(super) fn new(
        host: SessionHost,
        template: RunSettings,
        replies: mpsc::UnboundedSender<Reply>,
        feed: mpsc::Sender<Input>,
        window: &str,
        commands: Option<CommandRunner>,
    ) -> Self {
        let window = if window.is_empty() { "terminal" } else { window };
        let (root, policy) = (template.root.clone(), template.policy.clone());
        let parts = Parts { host, replies, root, policy, window: window.to_owned() };
        Self { parts, feed, template, session: None, watch: None, commands }
    }

    pub(super) fn host(&self) -> &SessionHost {
        &self.parts.host
    }

    pub(super) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Sends a reply to the conversation.
    pub(super) fn reply(&self, reply: Reply) {
        self.parts.reply(reply);
    }

    /// Requests the texts that were typed in earlier processes.
    pub(super) fn load_history(&self) {
        self.parts.work(|parts| {
            // Without a state folder the history is that of this process.
            let stored = MessageHistory::new(parts.host.sessions().app()).and_then(|history| history.load());
            Ok(Reply::History(stored.unwrap_or_default()))
        });
    }

    /// Stores a text for later processes. A failure must not disturb the conversation.
    fn remember(&self, text: String) {
        let app = self.parts.host.sessions().app().clone();
        tokio::task::spawn_blocking(move || {
            drop(MessageHistory::new(&app).map(|history| history.push(&text)));
        });
    }

    /// Follows the replies that change the session.
    pub(super) fn observe(&mut self, reply: &Reply) {
        if let Reply::Started { session } = reply
            && self.session.as_ref() != Some(session)
        {
            self.follow(session, 0);
        }
        if let Reply::Opened(opened) = reply {
            self.follow(&opened.session, opened.last_seq);
        }
    }

    /// Forwards the events of a session after a number.
    fn follow(&mut self, session: &str, after: u64) {
        self.leave();
        self.session = Some(session.to_owned());
        let (parts, feed, session) = (self.parts.clone(), self.feed.clone(), session.to_owned());
        self.watch = Some(tokio::spawn(async move {
            let mut stream = match parts.host.watch(&session, Some(after)).await {
                Ok(stream) => stream,
                Err(error) => return parts.reply(Reply::Error(describe(&error))),
            };
            loop {
                match stream.next().await {
                    Ok(event) => {
                        if feed.send(Input::Feed(Box::new(event))).await.is_err() {
                            return;
                        }
                    }
                    Err(error) => {
                        parts.reply(Reply::Error(describe(&error)));
                        tokio::time::sleep(LAST_EVENT).await;
                    }
                }
            }
        }));
    }

    fn leave(&mut self) {
        self.session = None;
        if let Some(watch) = self.watch.take() {
            watch.abort();
        }
    }

    /// Performs an action that needs no terminal.
    pub(super) fn perform(&mut self, action: Action) {
        match action {
            Action::Submit { task, files, changes } => self.submit(task, files, &changes),
            Action::Fork { turn, task, files, changes } => self.fork(turn, (task, files), &changes),
            Action::Remember(text) => self.remember(text),
            Action::Describe(topic) => self.parts.work(move |parts| configuration::describe(parts, topic)),
            Action::Revoke(id) => self.parts.work(move |parts| configuration::revoke(parts, &id)),
            Action::Open(id) if id.is_empty() => self.leave(),
            Action::Open(id) => self.open(id),
            Action::ListSessions => self.list_sessions(),
            Action::Run(command) => self.run_command(command),
            Action::ListFiles => self.parts.work(|parts| Ok(Reply::Files(list_files(&parts.root)))),
            action => {
                if let Some(session) = self.session.clone() {
                    self.perform_in(session, action);
                }
            }
        }
    }

    fn run_command(&self, command: String) {
        let Some(commands) = &self.commands else {
            self.parts.reply(Reply::Notice("this program runs no commands of a person".to_owned()));
            return;
        };
        let (parts, running) = (self.parts.clone(), commands.run(command.clone()));
        tokio::spawn(async move { parts.reply(Reply::Output { command, text: running.await }) });
    }

    /// Performs an action on the session.
    fn perform_in(&self, session: String, action: Action) {
        let parts = self.parts.clone();
        match action {
            Action::Answer { question, answer } => {
                tokio::spawn(async move { give_answer(&parts, &session, &question, answer).await });
            }
            Action::CheckArguments { question, arguments } => {
                tokio::spawn(async move {
                    requests::check_arguments(&parts, &session, question, arguments).await;
                });
            }
            Action::ProposeRule(question) => {
                tokio::spawn(async move { requests::propose_rule(&parts, &session, question).await });
            }
            Action::AcceptRule { question, digest } => {
                tokio::spawn(
                    async move { requests::accept_rule(&parts, &session, &question, &digest).await },
                );
            }
            Action::Send { text, after_task } => {
                tokio::spawn(async move {
                    let when = if after_task { DeliverAt::AfterTask } else { DeliverAt::NextTurn };
                    if let Err(error) = parts.host.send(&session, &text, when).await {
                        requests::send_as_task(&parts, &session, text, &error).await;
                    }
                });
            }
            Action::Stop => match parts.host.handle(&session) {
                Some(run) => run.stop(),
                None => parts.reply(Reply::Notice("the run works in another process".to_owned())),
            },
            Action::Resume => {
                tokio::spawn(async move {
                    parts.wait_for_end(&session).await;
                    parts.report(parts.host.resume(&session).await, String::new());
                });
            }
            Action::ListQuestions => {
                tokio::spawn(async move {
                    parts.reply(match parts.host.questions(&session).await {
                        Ok(list) => {
                            Reply::Questions(list.into_iter().map(|open| (open.id, open.card)).collect())
                        }
                        Err(error) => Reply::Error(describe(&error)),
                    });
                });
            }
            Action::Diff => {
                parts.work(move |parts| checkpoints::diff(parts.host.sessions(), &session).map(Reply::Diff));
            }
            Action::Restore(turn) => parts.work(move |parts| {
                checkpoints::restore(parts.host.sessions(), &session, turn).map(Reply::Notice)
            }),
            Action::Export(file) => parts.work(move |parts| write_export(parts, &session, file)),
            _ => {}
        }
    }

    /// Applies changes of settings; sends an error and returns nothing if one is invalid.
    fn change(&mut self, changes: &Changes, task: &str) -> Option<windlass_app::sessions::RunChanges> {
        match changes::apply(changes, &mut self.template) {
            Ok(changes) => Some(changes),
            Err(message) => {
                self.parts.reply(Reply::NotStarted { task: task.to_owned(), message });
                None
            }
        }
    }

    fn submit(&mut self, task: String, files: Vec<String>, changes: &Changes) {
        let Some(changes) = self.change(changes, &task) else { return };
        let (parts, session) = (self.parts.clone(), self.session.clone());
        let mut settings = self.template.clone();
        tokio::spawn(async move {
            let whole = requests::read_task(&parts.root, &task, files).await;
            let started = match (whole, session) {
                (Err(error), _) => Err(error),
                (Ok(whole), Some(session)) => {
                    parts.wait_for_end(&session).await;
                    parts.host.continue_session(&session, whole, &changes).await
                }
                (Ok(whole), None) => {
                    settings.compact_first = false;
                    parts.host.start(settings.with_task(whole)).await
                }
            };
            parts.report(started, task);
        });
    }

    fn fork(&mut self, turn: Option<u32>, (task, files): (String, Vec<String>), changes: &Changes) {
        use windlass_app::sessions::ForkPoint;

        let Some(changes) = self.change(changes, &task) else { return };
        let Some(session) = self.session.clone() else { return };
        let parts = self.parts.clone();
        let point = turn.map_or(ForkPoint::End, ForkPoint::AfterTurn);
        tokio::spawn(async move {
            parts.wait_for_end(&session).await;
            let started = match requests::read_task(&parts.root, &task, files).await {
                Ok(whole) => parts.host.fork(&session, &point, whole, &changes).await,
                Err(error) => Err(error),
            };
            parts.report(started, task);
        });
    }

    /// Opens a stored session: its events, then its state.
    pub(super) fn open(&mut self, name: String) {
        self.leave();
        let (parts, feed) = (self.parts.clone(), self.feed.clone());
        tokio::task::spawn_blocking(move || {
            let opened = parts.host.sessions().find(&name).and_then(|record| {
                let events = parts.host.sessions().events(&record, None)?;
                Ok((record, events))
            });
            match opened {
                Ok((record, events)) => {
                    let last_seq = events.last().map_or(0, |event| event.seq);
                    for event in events {
                        if feed.blocking_send(Input::Feed(Box::new(event))).is_err() {
                            return;
                        }
                    }
                    let opened = Input::Reply(Reply::Opened(describe_session(&record, last_seq)));
                    drop(feed.blocking_send(opened));
                }
                Err(error) => parts.reply(Reply::Error(describe(&error))),
            }
        });
    }

    pub(super) fn list_sessions(&self) {
        self.parts.work(|parts| {
            let now = now_ms();
            let root = &parts.root;
            let mut records = parts.host.sessions().list()?;
            // Sessions that wait for a person come first, then those of this folder.
            records.sort_by_key(|record| (record.state != SessionState::Suspended, record.root != *root));
            records.truncate(MAX_SESSIONS);
            Ok(Reply::Sessions(records.iter().map(|record| to_choice(record, now)).collect()))
        });
    }
}

async fn give_answer(parts: &Parts, session: &str, question: &str, answer: Answer) {
    let given = parts.host.answer(session, question, answer, &parts.window).await;
    report_answer(parts, question, given);
}

/// Sends the replies to an answer.
pub(super) fn report_answer(parts: &Parts, question: &str, given: Result<AnswerPlace, AnswerError>) {
    match given {
        Ok(AnswerPlace::Stored { unanswered }) => {
            parts.reply(Reply::Answered(question.to_owned()));
            parts.reply(Reply::Stored { unanswered });
        }
        Ok(_) => {}
        Err(error @ (AnswerError::AlreadyAnswered { .. } | AnswerError::NotOpen { .. })) => {
            parts.reply(Reply::Answered(question.to_owned()));
            parts.reply(Reply::Notice(error.to_string()));
        }
        Err(error) => parts.reply(Reply::Error(error.to_string())),
    }
}
