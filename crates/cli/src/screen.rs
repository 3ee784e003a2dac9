//! Single writer to standard output and standard error, which orders questions and events.
//!
//! Events of a run and questions to the user come from different tasks. Two rules order them: a question
//! waits until the reader of the events has printed every earlier event ([`Floor`]), and so does a note. All other
//! output is buffered until an open question has ended ([`hold`]) or a call ends.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use windlass_agent::Event;
use windlass_hitl::{ApprovalOutcome, escape_unsafe};

use crate::paint::Painted;

/// Maximum time that a question waits for the outcome of the previous one and for the result of its call. No event
/// reports some outcomes, and some calls run for long.
const OUTCOME_WAIT: Duration = Duration::from_secs(1);

/// Destination of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    /// Standard output, for people.
    Out,
    /// Standard output, for people, with styles: the type [`Painted`] has escaped the text.
    Painted,
    /// Standard output, for programs, written without escaping. Buffered during a question only if standard
    /// output is a terminal.
    Data,
    /// Standard error.
    Err,
}

struct State {
    /// Output that is buffered until the question ends; `None` if no question is open.
    held: Option<Vec<(Channel, String)>>,
    /// Text that repeats the open question below output that appears before its answer; empty for a question that
    /// is not repeated.
    reminder: Painted,
    /// Channel to the task that prints the events of a run and grants questions their turn, if there is such
    /// a task.
    reader: Option<mpsc::UnboundedSender<Turn>>,
}

static STATE: Mutex<State> = Mutex::new(State { held: None, reminder: Painted::EMPTY, reader: None });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes text, or buffers it while a question is open.
pub(crate) fn write(channel: Channel, text: &str) -> io::Result<()> {
    let mut state = state();
    match &mut state.held {
        Some(held) if channel != Channel::Data || io::stdout().is_terminal() => {
            held.push((channel, text.to_owned()));
            Ok(())
        }
        _ => write_now(channel, text),
    }
}

/// Writes text with styles, or buffers it while a question is open.
pub(crate) fn write_painted(text: &Painted) -> io::Result<()> {
    write(Channel::Painted, text.as_str())
}

/// Writes a note to standard error. During a run the note waits until the events before it are printed: a report of a
/// failed request arrives beside the events, and would stand above the turn of its request. `wait` is the time until
/// the program continues, if the note is about a wait.
pub(crate) fn write_note(text: String, wait: Option<Duration>) {
    let reader = state().reader.clone();
    let Some(reader) = reader else { return print_note(&text) };
    if let Err(mpsc::error::SendError(Turn::Note { text, .. })) = reader.send(Turn::Note { text, wait }) {
        print_note(&text);
    }
}

fn print_note(text: &str) {
    // A closed standard error cannot be reported.
    let _ = write(Channel::Err, text);
}

/// Writes text at once. Escapes everything for people, whatever its source: models, servers and projects
/// write most of it, and an escape sequence could hide or forge text on the screen.
fn write_now(channel: Channel, text: &str) -> io::Result<()> {
    let text = match channel {
        Channel::Out | Channel::Err => escape_unsafe(text),
        Channel::Data | Channel::Painted => Cow::Borrowed(text),
    };
    let write = |mut to: Box<dyn Write>| to.write_all(text.as_bytes()).and_then(|()| to.flush());
    match channel {
        Channel::Out | Channel::Data | Channel::Painted => write(Box::new(io::stdout().lock())),
        Channel::Err => write(Box::new(io::stderr().lock())),
    }
}

/// Writes the buffered output and stops buffering.
pub(crate) fn release() {
    let mut state = state();
    state.reminder = Painted::default();
    for (channel, text) in state.held.take().unwrap_or_default() {
        // The next direct write reports a closed output.
        let _ = write_now(channel, &text);
    }
}

/// Writes the buffered output while a question stays open, and repeats the question below it. What the person has typed
/// so far stays in the input of the terminal.
fn interject() {
    let mut state = state();
    if state.reminder.is_empty() {
        return;
    }
    let Some(held) = state.held.as_mut().map(std::mem::take).filter(|held| !held.is_empty()) else { return };
    // The cursor stands behind the question.
    let _ = write_error("\n");
    for (channel, text) in held {
        // The next direct write reports a closed output.
        let _ = write_now(channel, &text);
    }
    let _ = write_error(state.reminder.as_str());
}

/// Writes text with styles to standard error.
fn write_error(text: &str) -> io::Result<()> {
    let mut error = io::stderr().lock();
    error.write_all(text.as_bytes()).and_then(|()| error.flush())
}

/// Guard that buffers all other output while a question is open. Dropping it writes the buffered output.
#[derive(Debug)]
pub(crate) struct HeldOutput(());

/// Starts to buffer output.
pub(crate) fn hold() -> HeldOutput {
    state().held.get_or_insert_default();
    HeldOutput(())
}

impl HeldOutput {
    /// Writes the question itself.
    #[expect(clippy::unused_self, reason = "only the holder of the output may write a question")]
    pub(crate) fn write(&self, text: &Painted) {
        // A closed standard error cannot be reported.
        let _ = write_error(text.as_str());
    }

    /// Sets the text that repeats the question if the result of an earlier call arrives before the answer.
    #[expect(clippy::unused_self, reason = "only the holder of the output may write a question")]
    pub(crate) fn set_reminder(&self, text: Painted) {
        state().reminder = text;
    }
}

impl Drop for HeldOutput {
    fn drop(&mut self) {
        release();
    }
}

/// Output that waits for its turn behind the events.
enum Turn {
    Question(Claim),
    Note { text: String, wait: Option<Duration> },
}

/// A question that waits for its turn.
struct Claim {
    /// Id of the approval request; `None` for other questions.
    request: Option<String>,
    granted: oneshot::Sender<()>,
}

/// Waits until all events before a question are printed. Returns at once if no task prints events.
pub(crate) async fn claim(request: Option<&str>) {
    let reader = state().reader.clone();
    let Some(reader) = reader else { return };
    let (granted, waiting) = oneshot::channel();
    let claim = Claim { request: request.map(str::to_owned), granted };
    if reader.send(Turn::Question(claim)).is_ok() && waiting.await.is_err() {
        // The reader ended without granting the turn: the run is over, and the question with it.
        std::future::pending::<()>().await;
    }
}

/// The outcome that must be printed before the next question.
enum AwaitedOutcome {
    /// The end of this approval request.
    Approval(String),
    /// The result of the approved call.
    Result,
    /// Any event after the answer to another question.
    Progress,
}

/// Lets one question at a time use the screen. The task that prints the events of a run owns it, reports every printed event
/// with [`Floor::mark_printed`], and polls [`Floor::grant`] only while no event is ready.
pub(crate) struct Floor {
    turns: mpsc::UnboundedReceiver<Turn>,
    next: Option<(Claim, Instant)>,
    awaited: Option<AwaitedOutcome>,
    /// The end of the newest wait that a note reported.
    wait_end: Option<Instant>,
}

impl Floor {
    pub(crate) fn open() -> Self {
        let (sender, turns) = mpsc::unbounded_channel();
        state().reader = Some(sender);
        Self { turns, next: None, awaited: None, wait_end: None }
    }

    /// Prints the next note, or grants the next question its turn. Cancel-safe.
    pub(crate) async fn grant(&mut self) {
        let now = Instant::now();
        let due = match &self.next {
            Some((_, since)) if self.awaited.is_some() => Some(*since + OUTCOME_WAIT),
            Some(_) => Some(now),
            None => None,
        };
        tokio::select! {
            biased;
            Some(turn) = self.turns.recv() => {
                match turn {
                    Turn::Note { text, wait } => {
                        self.wait_end = wait.and_then(|wait| now.checked_add(wait)).or(self.wait_end);
                        print_note(&text);
                    }
                    // The keyboard belongs to one question at a time, so no other one waits.
                    Turn::Question(claim) => self.next = Some((claim, now)),
                }
                return;
            }
            () = sleep_until(due) => {}
        }
        if let Some((claim, _)) = self.next.take() {
            let awaited = claim.request.map_or(AwaitedOutcome::Progress, AwaitedOutcome::Approval);
            // A question that was withdrawn in the meantime has no outcome.
            self.awaited = claim.granted.send(()).is_ok().then_some(awaited);
        }
    }

    /// Returns the end of the newest wait that a note reported, once.
    pub(crate) fn take_wait(&mut self) -> Option<Instant> {
        self.wait_end.take()
    }

    /// Records that an event was printed.
    pub(crate) fn mark_printed(&mut self, event: &Event) {
        if matches!(event, Event::CallEnded { .. }) {
            interject();
        }
        let is_outcome = match (&self.awaited, event) {
            (Some(AwaitedOutcome::Approval(id)), Event::ApprovalEnded { outcome }) => {
                let is_this = outcome.request_id() == id;
                let is_approved = matches!(outcome, ApprovalOutcome::Answered(answer) if answer.approved);
                if is_this && is_approved {
                    self.awaited = Some(AwaitedOutcome::Result);
                    return;
                }
                is_this
            }
            (Some(AwaitedOutcome::Result), event) => matches!(event, Event::CallEnded { .. }),
            (Some(AwaitedOutcome::Approval(id)), Event::AgentEvent { happened, .. }) => {
                matches!(serde_json::from_value(happened.clone()),
                    Ok(Event::ApprovalEnded { outcome }) if outcome.request_id() == id)
            }
            (Some(AwaitedOutcome::Progress), event) => !matches!(
                event,
                Event::CallProgress { .. } | Event::CallNote { .. } | Event::AgentEvent { .. }
            ),
            (None | Some(AwaitedOutcome::Approval(_)), _) => false,
        };
        if is_outcome {
            self.awaited = None;
        }
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        state().reader = None;
        while let Ok(turn) = self.turns.try_recv() {
            if let Turn::Note { text, .. } = turn {
                print_note(&text);
            }
        }
    }
}

/// Sleeps until a time, or forever.
async fn sleep_until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}
