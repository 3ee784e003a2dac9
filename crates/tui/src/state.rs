//! The state of a conversation, which inputs change and which a view shows. It performs no IO and takes time as an
//! argument.

mod agents;
mod commands;
mod feed;
mod files;
mod keys;
mod picker;
mod previews;
mod questions;
mod review;
mod settings;
mod submit;
mod view;
mod working_calls;

use std::time::Duration;

use ratatui_core::text::Line;
use windlass_app::feed::Tokens;
use windlass_screen::StatusLine;

use self::agents::AgentList;
use self::picker::Picker;
use self::questions::OpenCard;
use self::working_calls::WorkingCalls;
use crate::action::{Action, Changes, ForkTurn};
use crate::composer::{Composer, History};
use crate::input::{Input, Reply};
use crate::options::Canvas;
use crate::transcript::Transcript;

pub(crate) use self::view::View;

/// Interval of the moving sign while a run works.
const MOVE: Duration = Duration::from_millis(250);
/// Interval at which a question looks whether it takes keys.
const LOOK: Duration = Duration::from_millis(20);

/// Phase of the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The conversation waits for a task.
    #[default]
    Idle,
    /// A run is about to start.
    Starting,
    /// A run works.
    Working,
    /// The newest run waits for answers.
    Suspended,
}

/// Stop that a person requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StopRequest {
    #[default]
    None,
    /// The run stops when the running calls have ended.
    AfterCall,
    /// The run received the request to stop.
    Now,
}

/// Conversation in the terminal.
#[derive(Debug)]
pub(crate) struct State {
    canvas: Canvas,
    composer: Composer,
    history: History,
    transcript: Transcript,
    cards: Vec<OpenCard>,
    /// Id of the question that is denied with the comment in the composer.
    comment_for: Option<String>,
    /// Text of the composer while a question has the keys.
    stash: Option<String>,
    picker: Option<Picker>,
    /// The files of the project, once they were requested.
    files: Option<Vec<String>>,
    /// The chosen completion.
    offer: usize,
    /// The text whose completions a person closed.
    closed_offers: Option<String>,
    has_session: bool,
    phase: Phase,
    stop: StopRequest,
    working_since: Duration,
    turn: u32,
    /// End and reason of a wait before the next request.
    retry: Option<(Duration, String)>,
    /// The time of the newest event of the working run.
    newest_event: Duration,
    /// The sub-agents of the session.
    agents: AgentList,
    /// The calls that work.
    working_calls: WorkingCalls,
    status: StatusLine,
    /// Tokens of the earlier runs, and of the newest one.
    tokens: (Tokens, Tokens),
    /// The context window of the model in tokens, if it is known.
    context_window: Option<u64>,
    /// The settings that change with the next task. `status` does not contain them.
    changes: Changes,
    /// The mode that is being checked. A task waits for the result, so that it does not start in another mode.
    checked_mode: Option<String>,
    /// The turn at which the next task forks the session.
    fork: Option<ForkTurn>,
    hint: Option<String>,
    interrupted: Option<Duration>,
    is_unfocused: bool,
    window: String,
    now: Duration,
    /// True if an input arrived after the newest drawing.
    has_changed: bool,
    actions: Vec<Action>,
}

impl State {
    /// Creates the state of a conversation without a session.
    pub(crate) fn new(canvas: Canvas, status: StatusLine, window: &str) -> Self {
        Self {
            canvas,
            composer: Composer::default(),
            history: History::default(),
            transcript: Transcript::new(canvas.render_options()),
            cards: Vec::new(),
            comment_for: None,
            stash: None,
            picker: None,
            files: None,
            offer: 0,
            closed_offers: None,
            has_session: false,
            phase: Phase::Idle,
            stop: StopRequest::None,
            working_since: Duration::ZERO,
            turn: 0,
            retry: None,
            newest_event: Duration::ZERO,
            agents: AgentList::default(),
            working_calls: WorkingCalls::default(),
            status,
            tokens: (Tokens::default(), Tokens::default()),
            context_window: None,
            changes: Changes::default(),
            checked_mode: None,
            fork: None,
            hint: None,
            interrupted: None,
            is_unfocused: false,
            window: window.to_owned(),
            now: Duration::ZERO,
            has_changed: true,
            actions: Vec::new(),
        }
    }

    /// Applies an input at a time, and returns the actions that follow.
    pub(crate) fn update(&mut self, now: Duration, input: Input) -> Vec<Action> {
        self.now = now;
        self.has_changed =
            !matches!(input, Input::Drawn) && (self.has_changed || !matches!(input, Input::Tick { .. }));
        match input {
            Input::Key(key) => self.press(key),
            Input::Paste(text) => self.paste(&text),
            // A person turns the wheel to read, so the question keeps its readiness for keys.
            Input::Wheel(scroll) => self.actions.push(Action::Scroll(scroll)),
            Input::Resize { columns, rows } => self.resize(columns, rows),
            Input::Focus(has_focus) => {
                self.is_unfocused = !has_focus;
                self.disturb_question();
            }
            Input::Background(background) => {
                self.canvas.theme.background = background;
                self.transcript.set_options(self.canvas.render_options());
            }
            Input::Tick { is_idle } => {
                self.settle_enter(is_idle);
                self.advance_question(is_idle);
            }
            Input::Drawn => self.observe_drawing(),
            Input::Feed(event) => self.apply_event(&event),
            Input::Earlier(event) => self.apply_earlier(&event),
            Input::Reply(reply) => self.apply_reply(reply),
        }
        let lines = self.transcript.take_finished();
        if !lines.is_empty() {
            self.actions.insert(0, Action::Print(lines));
        }
        std::mem::take(&mut self.actions)
    }

    /// Returns the time until the next tick; `None` if nothing changes with time.
    pub(crate) fn next_tick(&self) -> Option<Duration> {
        if self.is_question_waiting() || self.composer.has_waiting_enter() {
            Some(LOOK)
        } else if matches!(self.phase, Phase::Working | Phase::Starting) {
            Some(MOVE)
        } else {
            None
        }
    }

    /// Returns true if an input arrived after the newest drawing.
    pub(crate) fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// Returns true if a run works or is about to start.
    pub(crate) fn is_working(&self) -> bool {
        matches!(self.phase, Phase::Working | Phase::Starting)
    }

    /// Appends lines to the scrollback.
    pub(crate) fn greet(&mut self, lines: Vec<Line<'static>>) {
        self.transcript.add_lines(lines);
    }

    fn resize(&mut self, columns: usize, rows: usize) {
        (self.canvas.columns, self.canvas.rows) = (columns, rows);
        self.transcript.set_options(self.canvas.render_options());
        self.disturb_question();
    }

    fn apply_reply(&mut self, reply: Reply) {
        match reply {
            Reply::Started { .. } => {
                self.has_session = true;
                if self.phase == Phase::Starting {
                    self.begin_work();
                }
            }
            Reply::Opened(opened) => {
                self.has_session = true;
                if !opened.is_active {
                    self.phase = if opened.is_suspended { Phase::Suspended } else { Phase::Idle };
                    self.cards.clear();
                    self.transcript.clear_live();
                }
                self.show_settings(opened.model, opened.mode, opened.autonomy);
                if opened.is_suspended {
                    self.actions.push(Action::ListQuestions);
                }
            }
            Reply::NewSession { model, mode, autonomy } => self.show_settings(model, mode, autonomy),
            Reply::ModeChecked { mode, problem } => self.end_mode_check(mode, problem),
            Reply::NotStarted { task, message, changes, fork } => {
                self.phase = Phase::Idle;
                self.changes.add_older(changes);
                self.fork = self.fork.or(fork);
                self.transcript.add_error(&message);
                if self.composer.is_empty() {
                    self.composer.set(&task);
                }
            }
            Reply::Questions(questions) => self.open_stored(questions),
            Reply::Answered(question) => drop(self.close_card(&question)),
            Reply::Stored { unanswered: 0 } => {
                self.phase = Phase::Starting;
                self.working_since = self.now;
                self.actions.push(Action::Resume);
            }
            Reply::Stored { unanswered } => {
                self.transcript.add_notice(&format!("stored; {unanswered} more answers are missing"));
            }
            Reply::Sessions(choices) => self.open_picker(choices),
            Reply::Files(files) => self.files = Some(files),
            Reply::Edited(Some(text)) => self.composer.set(text.trim_end_matches('\n')),
            Reply::Picture(path) => self.paste(&path),
            Reply::Edited(None) => self.hint = Some("the editor did not return a text".to_owned()),
            other => self.apply_report(other),
        }
    }

    /// Applies a reply that does not change the session.
    fn apply_report(&mut self, reply: Reply) {
        match reply {
            Reply::ArgumentsEdited { question, text } => self.review_text(&question, text),
            Reply::ArgumentsChecked { question, arguments, problem } => {
                self.review_arguments(&question, arguments, problem);
            }
            Reply::Rule { question, card, digest } => self.review_rule(&question, card, digest),
            Reply::History(texts) => self.history.begin_with(texts),
            Reply::ContextWindow(window) => self.set_context_window(window),
            Reply::Wait { text, reason, wait } => {
                if let Some(text) = text {
                    self.transcript.add_notice(&text);
                }
                self.retry = Some((self.now.saturating_add(wait), reason));
            }
            Reply::NotSent { text, message } => {
                self.transcript.add_error(&message);
                if self.composer.is_empty() {
                    self.composer.set(&text);
                }
            }
            Reply::Notice(text) => self.transcript.add_notice(&text),
            Reply::Diff(diff) => self.show_diff(&diff),
            Reply::Output { command, text } => self.transcript.add_output(&command, &text),
            Reply::Error(text) => {
                // The hint names the action that has failed.
                self.hint = None;
                self.transcript.add_error(&text);
            }
            _ => {}
        }
    }

    /// Shows the settings of a session in the status line.
    fn show_settings(&mut self, model: String, mode: String, autonomy: String) {
        let status = &mut self.status;
        (status.model, status.mode, status.autonomy) = (model, mode, autonomy);
    }

    fn begin_work(&mut self) {
        if self.phase != Phase::Working {
            self.working_since = self.now;
        }
        self.phase = Phase::Working;
        self.newest_event = self.now;
        self.stop = StopRequest::None;
    }
}

#[cfg(test)]
mod tests;
