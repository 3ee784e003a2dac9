//! Single writer to standard output and standard error, which orders questions and events.
//!
//! Events of a run and questions to the user come from different tasks. Two rules order them: a question
//! waits until the reader of the events has printed every earlier event ([`Floor`]), and all other output is
//! buffered until an open question has ended ([`hold`]).

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use windlass_agent::Event;
use windlass_hitl::escape_unsafe;

/// Maximum time that a question waits for the outcome of the previous one, in case no event reports that
/// outcome.
const OUTCOME_WAIT: Duration = Duration::from_secs(1);

/// Destination of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    /// Standard output, for people.
    Out,
    /// Standard output, for programs, written without escaping. Buffered during a question only if standard
    /// output is a terminal.
    Data,
    /// Standard error.
    Err,
}

struct State {
    /// Output that is buffered until the question ends; `None` if no question is open.
    held: Option<Vec<(Channel, String)>>,
    /// Channel to the task that prints the events of a run and grants questions their turn, if there is such
    /// a task.
    reader: Option<mpsc::UnboundedSender<Claim>>,
}

static STATE: Mutex<State> = Mutex::new(State { held: None, reader: None });

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

/// Writes text at once. Escapes everything for people, whatever its source: models, servers and projects
/// write most of it, and an escape sequence could hide or forge text on the screen.
fn write_now(channel: Channel, text: &str) -> io::Result<()> {
    let text = match channel {
        Channel::Out | Channel::Err => escape_unsafe(text),
        Channel::Data => Cow::Borrowed(text),
    };
    let write = |mut to: Box<dyn Write>| to.write_all(text.as_bytes()).and_then(|()| to.flush());
    match channel {
        Channel::Out | Channel::Data => write(Box::new(io::stdout().lock())),
        Channel::Err => write(Box::new(io::stderr().lock())),
    }
}

/// Writes the buffered output and stops buffering.
pub(crate) fn release() {
    let mut state = state();
    for (channel, text) in state.held.take().unwrap_or_default() {
        // The next direct write reports a closed output.
        let _ = write_now(channel, &text);
    }
}

/// Guard that buffers all other output while a question is open. Dropping it writes the buffered output.
#[derive(Debug)]
pub(crate) struct HeldOutput(Channel);

/// Starts to buffer output.
pub(crate) fn hold() -> HeldOutput {
    state().held.get_or_insert_default();
    HeldOutput(Channel::Err)
}

impl HeldOutput {
    /// Writes the question itself.
    pub(crate) fn write(&self, text: &str) {
        // A closed standard error cannot be reported.
        let _ = write_now(self.0, text);
    }
}

impl Drop for HeldOutput {
    fn drop(&mut self) {
        release();
    }
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
    if reader.send(claim).is_ok() && waiting.await.is_err() {
        // The reader ended without granting the turn: the run is over, and the question with it.
        std::future::pending::<()>().await;
    }
}

/// The outcome that must be printed before the next question.
enum AwaitedOutcome {
    /// The end of this approval request.
    Approval(String),
    /// Any event after the answer to another question.
    Progress,
}

/// Lets one question at a time use the screen. The task that prints the events of a run owns it, reports every printed event
/// with [`Floor::mark_printed`], and polls [`Floor::grant`] only while no event is ready.
pub(crate) struct Floor {
    claims: mpsc::UnboundedReceiver<Claim>,
    next: Option<(Claim, Instant)>,
    awaited: Option<AwaitedOutcome>,
}

impl Floor {
    pub(crate) fn open() -> Self {
        let (sender, claims) = mpsc::unbounded_channel();
        state().reader = Some(sender);
        Self { claims, next: None, awaited: None }
    }

    /// Grants the next question its turn. Cancel-safe.
    pub(crate) async fn grant(&mut self) {
        if self.next.is_none() {
            match self.claims.recv().await {
                Some(claim) => self.next = Some((claim, Instant::now())),
                None => return std::future::pending().await,
            }
        }
        if let (Some((_, since)), true) = (&self.next, self.awaited.is_some()) {
            tokio::time::sleep_until(*since + OUTCOME_WAIT).await;
        }
        if let Some((claim, _)) = self.next.take() {
            let awaited = claim.request.map_or(AwaitedOutcome::Progress, AwaitedOutcome::Approval);
            // A question that was withdrawn in the meantime has no outcome.
            self.awaited = claim.granted.send(()).is_ok().then_some(awaited);
        }
    }

    /// Records that an event was printed.
    pub(crate) fn mark_printed(&mut self, event: &Event) {
        let is_outcome = match (&self.awaited, event) {
            (Some(AwaitedOutcome::Approval(id)), Event::ApprovalEnded { outcome }) => {
                outcome.request_id() == id
            }
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
    }
}
