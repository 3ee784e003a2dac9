//! The connection of a conversation with the sessions of the host. Every request works in a task of its own.

use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use windlass_agent::DeliverAt;
use windlass_app::RunSettings;
use windlass_app::sessions::{ForkPoint, MessageHistory, RunChanges, SessionHost, SessionState};

use super::listing::{list_files, now_ms, to_choice, write_export};
use super::opening::send_session;
use super::parts::{LAST_EVENT, Parts, StartRequest, describe, give_answer};
use super::picture::{Pictures, store_picture};
use super::{changes, checkpoints, configuration, requests};
use crate::CommandRunner;
use crate::action::{Action, ForkTurn};
use crate::input::{Input, Reply};

/// Pause after the events that have arrived. The feed merges the deltas of the pause, so that a fast stream wakes the
/// terminal for each frame and not for each delta; an event waits less than for the frame that shows it.
const FEED_PAUSE: Duration = Duration::from_millis(40);
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
    pictures: Pictures,
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
        Self { parts, feed, template, session: None, watch: None, commands, pictures: Pictures::default() }
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

    /// Reports the context window of the model of the next run.
    pub(super) fn report_window(&self) {
        let settings = self.template.clone();
        self.parts.work(move |parts| Ok(Reply::ContextWindow(parts.host.context_tokens(&settings))));
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
                let next = if let Some(next) = stream.next().now_or_never() {
                    next
                } else {
                    tokio::time::sleep(FEED_PAUSE).await;
                    stream.next().await
                };
                match next {
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
            Action::Submit { task, files, changes } => {
                self.submit(StartRequest { task, changes, fork: None }, files);
            }
            Action::Fork { turn, task, files, changes } => {
                self.fork(turn, StartRequest { task, changes, fork: Some(ForkTurn(turn)) }, files);
            }
            Action::CheckMode(mode) => {
                let session = self.session.clone();
                self.parts.work(move |parts| {
                    let problem = changes::check_mode(parts, session.as_deref(), &mode).err();
                    let problem = problem.map(|error| describe(&error));
                    Ok(Reply::ModeChecked { mode, problem })
                });
            }
            Action::Remember(text) => self.remember(text),
            Action::Describe(topic) => self.parts.work(move |parts| configuration::describe(parts, topic)),
            Action::Revoke(id) => self.parts.work(move |parts| configuration::revoke(parts, &id)),
            Action::Open(id) if id.is_empty() => self.begin_anew(),
            Action::Open(id) => self.open(id),
            Action::ListSessions => self.list_sessions(),
            Action::PastePicture => self.paste_picture(),
            Action::Run(command) => self.run_command(command),
            Action::ListFiles => self.parts.work(|parts| Ok(Reply::Files(list_files(&parts.root)))),
            action => {
                if let Some(session) = self.session.clone() {
                    self.perform_in(session, action);
                }
            }
        }
    }

    fn paste_picture(&mut self) {
        let (parts, path) = (self.parts.clone(), self.pictures.next_path());
        tokio::spawn(async move { parts.reply(store_picture(path).await) });
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
            Action::Send { text, files, after_task, can_start } => {
                tokio::spawn(async move {
                    let when = if after_task { DeliverAt::AfterTask } else { DeliverAt::NextTurn };
                    requests::send(&parts, &session, (text, files), (when, can_start)).await;
                });
            }
            Action::Compact => {
                tokio::spawn(async move { requests::compact(&parts, &session).await });
            }
            Action::StopCall { agent, call } => {
                tokio::spawn(
                    async move { requests::stop_call(&parts, &session, agent.as_ref(), &call).await },
                );
            }
            Action::Stop => {
                tokio::spawn(async move { requests::stop(&parts, &session).await });
            }
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
            Action::Diff(extent) => parts.work(move |parts| {
                checkpoints::diff(parts.host.sessions(), &session, extent).map(Reply::Diff)
            }),
            Action::Restore(turn) => parts.work(move |parts| {
                checkpoints::restore(parts.host.sessions(), &session, turn).map(Reply::Notice)
            }),
            Action::Export(file) => parts.work(move |parts| write_export(parts, &session, file)),
            _ => {}
        }
    }

    /// Leaves the session, and reports the settings of the next one.
    fn begin_anew(&mut self) {
        self.leave();
        self.parts.reply(Reply::NewSession {
            model: self.template.provider.model.clone(),
            mode: self.template.offering.mode.clone().unwrap_or_default(),
            autonomy: self.template.autonomy.as_str().to_owned(),
        });
        self.report_window();
    }

    /// Applies the changes of settings of a request. Sends an error and returns `None` if one is invalid.
    fn change(&mut self, request: StartRequest) -> Option<(StartRequest, RunChanges)> {
        match changes::apply(&request.changes, &mut self.template) {
            Ok(changes) => {
                if request.changes.model.is_some() {
                    self.report_window();
                }
                Some((request, changes))
            }
            Err(message) => {
                self.parts.reply(request.fail(message));
                None
            }
        }
    }

    fn submit(&mut self, request: StartRequest, files: Vec<String>) {
        let Some((request, changes)) = self.change(request) else { return };
        let (parts, session) = (self.parts.clone(), self.session.clone());
        let settings = self.template.clone();
        tokio::spawn(async move {
            let whole = requests::read_task(&parts.root, &request.task, files).await;
            let started = match (whole, session) {
                (Err(error), _) => Err(error),
                (Ok(whole), Some(session)) => {
                    parts.wait_for_end(&session).await;
                    parts.host.continue_session(&session, whole, &changes).await
                }
                (Ok(whole), None) => parts.host.start(settings.with_task(whole)).await,
            };
            parts.report_start(started, request);
        });
    }

    fn fork(&mut self, turn: Option<u32>, request: StartRequest, files: Vec<String>) {
        let Some((request, changes)) = self.change(request) else { return };
        let Some(session) = self.session.clone() else { return };
        let parts = self.parts.clone();
        let point = turn.map_or(ForkPoint::End, ForkPoint::AfterTurn);
        tokio::spawn(async move {
            parts.wait_for_end(&session).await;
            let started = match requests::read_task(&parts.root, &request.task, files).await {
                Ok(whole) => parts.host.fork(&session, &point, whole, &changes).await,
                Err(error) => Err(error),
            };
            parts.report_start(started, request);
        });
    }

    /// Opens a stored session: its events, then its state.
    pub(super) fn open(&mut self, name: String) {
        self.leave();
        let (parts, feed) = (self.parts.clone(), self.feed.clone());
        tokio::task::spawn_blocking(move || send_session(&parts, &feed, &name));
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

#[cfg(test)]
mod tests;
