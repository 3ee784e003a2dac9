//! Checkpoints of the workspace before a turn changes it, and the gate at which calls wait for them.

#[cfg(test)]
mod tests;

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use tokio::sync::OnceCell;
use windlass_hitl::PolicyInput;
use windlass_loop::Event;
use windlass_protocol::Effect;
use windlass_tool::CancellationToken;

use crate::outbox::Outbox;

/// The pending result of a [`Checkpointer`]: the name of a checkpoint or a diff.
pub type CheckpointFuture<'a> = Pin<Box<dyn Future<Output = Result<String, CheckpointFailed>> + Send + 'a>>;

/// A store of checkpoints of the files that a run's tools work on, with the diffs between them.
///
/// ```
/// use windlass_agent::{CheckpointFuture, Checkpointer};
///
/// struct Numbered;
///
/// impl Checkpointer for Numbered {
///     fn save_before_change(&self, turn: u32) -> CheckpointFuture<'_> {
///         Box::pin(async move { Ok(format!("checkpoint-{turn}")) })
///     }
///     fn diff_of_turn(&self, _: u32) -> CheckpointFuture<'_> {
///         Box::pin(async { Ok("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n".to_owned()) })
///     }
///     fn diff_of_run(&self) -> CheckpointFuture<'_> {
///         self.diff_of_turn(1)
///     }
/// }
/// ```
pub trait Checkpointer: Send + Sync {
    /// Saves the workspace before the first call of a turn that may change it, and returns the name of the
    /// checkpoint. All such calls of the turn wait for the future.
    fn save_before_change(&self, turn: u32) -> CheckpointFuture<'_>;

    /// Returns the net changes of such a turn as a unified diff, empty without changes. Called after the
    /// calls of the turn have ended.
    fn diff_of_turn(&self, turn: u32) -> CheckpointFuture<'_>;

    /// Like [`diff_of_turn`](Self::diff_of_turn), for all turns of the run. Called at the end of the run if this
    /// process saved a checkpoint.
    fn diff_of_run(&self) -> CheckpointFuture<'_>;
}

/// The reason why a checkpoint or a diff does not exist, as a text for a human.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
#[non_exhaustive]
pub struct CheckpointFailed {
    /// The description of the failure.
    pub text: String,
}

impl CheckpointFailed {
    /// Creates an error with this description.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

/// The treatment of calls that may change the workspace if the checkpoint failed. An event reports the
/// failure in both cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "checkpoints run or do not run; the set is closed")]
pub enum WithoutCheckpoint {
    /// The calls run.
    #[default]
    Run,
    /// The calls do not run; their results give the reason to the model.
    Refuse,
}

/// The reason why a call does not pass the gate.
#[derive(Debug, PartialEq)]
pub(crate) enum NotPassed {
    Stopped,
    /// The checkpoint before the call failed.
    Failed(CheckpointFailed),
}

/// The gate of a run. Calls that may change the workspace wait there until the checkpoint of their turn
/// exists.
#[derive(Default)]
pub(crate) struct Gate {
    keeper: Option<(Arc<dyn Checkpointer>, WithoutCheckpoint)>,
    turn: Mutex<Arc<Turn>>,
}

#[derive(Default)]
struct Turn {
    number: u32,
    /// The result of the turn's only checkpoint.
    kept: OnceCell<Result<(), CheckpointFailed>>,
    /// Set if an earlier turn of this process has a checkpoint.
    has_earlier: bool,
}

impl Turn {
    fn is_kept(&self) -> bool {
        self.kept.get().is_some_and(Result::is_ok)
    }
}

impl Gate {
    pub(crate) fn new(keeper: Option<(Arc<dyn Checkpointer>, WithoutCheckpoint)>, turn: u32) -> Self {
        let turn = Turn { number: turn, ..Turn::default() };
        Self { keeper, turn: Mutex::new(Arc::new(turn)) }
    }

    /// Waits until the call may run. Returns early if the run is stopped.
    pub(crate) async fn pass(
        &self,
        facts: &PolicyInput,
        events: Option<&Outbox>,
        stop: &CancellationToken,
    ) -> Result<(), NotPassed> {
        tokio::select! {
            // Check for the stop first. When the call that creates the checkpoint is stopped, it releases the
            // cell, and the next waiting call would start another checkpoint before it sees its own stop.
            biased;
            () = stop.cancelled() => Err(NotPassed::Stopped),
            kept = self.keep(facts, events) => kept.map_err(NotPassed::Failed),
        }
    }

    /// Waits for the checkpoint of the turn. If the future is dropped, the next waiting call creates the
    /// checkpoint.
    async fn keep(&self, facts: &PolicyInput, events: Option<&Outbox>) -> Result<(), CheckpointFailed> {
        let Some((keeper, without)) = &self.keeper else { return Ok(()) };
        if !may_change(facts) {
            return Ok(());
        }
        let turn = self.current();
        let keep = || async {
            let kept = guard(|| keeper.save_before_change(turn.number)).await;
            let (event, kept) = match kept {
                Ok(id) => (Event::Checkpoint { turn: turn.number, id }, Ok(())),
                Err(failed) => {
                    let event = Event::CheckpointFailed { turn: turn.number, problem: failed.text.clone() };
                    (event, Err(failed))
                }
            };
            if let Some(events) = events {
                // Sending does nothing if the reader is gone.
                events.send(event).await;
            }
            kept
        };
        match (turn.kept.get_or_init(keep).await, without) {
            (Err(failed), WithoutCheckpoint::Refuse) => Err(failed.clone()),
            _ => Ok(()),
        }
    }

    /// Returns the events to send before an event that ends a turn.
    pub(crate) async fn events_before(&self, event: &Event) -> Vec<Event> {
        let (Some((keeper, _)), Some(ended)) = (&self.keeper, self.take_ended_turn(event)) else {
            return Vec::new();
        };
        let mut told = Vec::new();
        if ended.is_kept() {
            let turn = ended.number;
            match guard(|| keeper.diff_of_turn(turn)).await {
                Ok(diff) if diff.is_empty() => {}
                Ok(diff) => told.push(Event::TurnDiff { turn, diff }),
                Err(failed) => told.push(Event::CheckpointFailed { turn, problem: failed.text }),
            }
        }
        if matches!(event, Event::Finished { .. }) && (ended.is_kept() || ended.has_earlier) {
            match guard(|| keeper.diff_of_run()).await {
                Ok(diff) if diff.is_empty() => {}
                Ok(diff) => told.push(Event::RunDiff { diff }),
                Err(failed) => {
                    told.push(Event::CheckpointFailed { turn: ended.number, problem: failed.text });
                }
            }
        }
        told
    }

    /// Returns the turn that an event ends, and starts the next turn.
    fn take_ended_turn(&self, event: &Event) -> Option<Arc<Turn>> {
        let current = self.current();
        let number = match event {
            Event::TurnStarted { turn, .. } => *turn,
            Event::Finished { .. } => current.number,
            _ => return None,
        };
        let has_earlier = current.has_earlier || current.is_kept();
        let next = Arc::new(Turn { number, has_earlier, ..Turn::default() });
        *self.turn.lock().unwrap_or_else(PoisonError::into_inner) = next;
        Some(current)
    }

    fn current(&self) -> Arc<Turn> {
        Arc::clone(&self.turn.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Awaits a checkpointer. A panic counts as a failure.
async fn guard<'a>(keep: impl FnOnce() -> CheckpointFuture<'a>) -> Result<String, CheckpointFailed> {
    let kept = AssertUnwindSafe(async { keep().await }).catch_unwind().await;
    kept.unwrap_or_else(|_| Err(CheckpointFailed::new("the checkpoint task panicked")))
}

/// Returns whether a call may change files: neither its hints nor its effects exclude that.
fn may_change(facts: &PolicyInput) -> bool {
    let harmless =
        |effect: &Effect| effect.is_read() || matches!(effect, Effect::Connect { .. } | Effect::Internal);
    !facts.hints.read_only && !facts.effects.iter().all(harmless)
}
