//! What keeps a workspace as it was before a turn changes it, and the gate at which calls wait for that.

#[cfg(test)]
mod tests;

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use windlass_hitl::Facts;
use windlass_loop::Event;
use windlass_protocol::Effect;

use crate::outbox::Outbox;

/// What a [`Checkpointer`] gives.
pub type CheckpointFuture<'a> = Pin<Box<dyn Future<Output = Result<String, CheckpointFailed>> + Send + 'a>>;

/// Keeps checkpoints of what a run's tools work on, and says what changed.
///
/// ```
/// use windlass_agent::{CheckpointFuture, Checkpointer};
///
/// struct Numbered;
///
/// impl Checkpointer for Numbered {
///     fn before_change(&self, turn: u32) -> CheckpointFuture<'_> {
///         Box::pin(async move { Ok(format!("checkpoint-{turn}")) })
///     }
///     fn after_turn(&self, _: u32) -> CheckpointFuture<'_> {
///         Box::pin(async { Ok("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n".to_owned()) })
///     }
///     fn after_run(&self) -> CheckpointFuture<'_> {
///         self.after_turn(1)
///     }
/// }
/// ```
pub trait Checkpointer: Send + Sync {
    /// Keeps what is there before the first call of a turn that may change something begins, and gives the
    /// checkpoint's name. All such calls of the turn wait for it.
    fn before_change(&self, turn: u32) -> CheckpointFuture<'_>;

    /// What such a turn changed, net, as a unified diff; nothing if that is nothing. Asked when its calls have ended.
    fn after_turn(&self, turn: u32) -> CheckpointFuture<'_>;

    /// The same for all turns of the run. Asked at its end, if this process has let some call pass.
    fn after_run(&self) -> CheckpointFuture<'_>;
}

/// Why there is no checkpoint or no diff, in words for a human.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
#[non_exhaustive]
pub struct CheckpointFailed {
    /// What failed.
    pub text: String,
}

impl CheckpointFailed {
    /// In these words.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

/// What happens with calls that may change something where there is no checkpoint. It is told in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "they run or they do not, there is no third")]
pub enum WithoutCheckpoint {
    /// They run.
    #[default]
    Run,
    /// They do not: the model is told why.
    Refuse,
}

/// Why a call does not pass the gate.
#[derive(Debug, PartialEq)]
pub(crate) enum NotPassed {
    Stopped,
    /// What it may change could not be kept.
    Failed(CheckpointFailed),
}

/// The gate of a run: open until a turn begins to change something, closed while that is kept, and open again.
#[derive(Default)]
pub(crate) struct Gate {
    keeper: Option<(Arc<dyn Checkpointer>, WithoutCheckpoint)>,
    turn: Mutex<Arc<Turn>>,
}

#[derive(Default)]
struct Turn {
    number: u32,
    /// What came of the one checkpoint before its first change.
    kept: OnceCell<Result<(), CheckpointFailed>>,
    /// Whether a turn before it in this process was kept.
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

    /// Lets a call pass when what it may change is kept, unless it is stopped before.
    pub(crate) async fn pass(
        &self,
        facts: &Facts,
        events: Option<&Outbox>,
        stop: &CancellationToken,
    ) -> Result<(), NotPassed> {
        tokio::select! {
            // The stop comes first. The call that keeps the checkpoint lets go of the gate when it is stopped, and the next
            // one would begin another checkpoint before it saw that it is stopped, too.
            biased;
            () = stop.cancelled() => Err(NotPassed::Stopped),
            kept = self.keep(facts, events) => kept.map_err(NotPassed::Failed),
        }
    }

    /// Waits until what a call may change is kept. Dropping the future leaves the keeping to the next call that waits.
    async fn keep(&self, facts: &Facts, events: Option<&Outbox>) -> Result<(), CheckpointFailed> {
        let Some((keeper, without)) = &self.keeper else { return Ok(()) };
        if !may_change(facts) {
            return Ok(());
        }
        let turn = self.current();
        let keep = || async {
            let kept = guarded(|| keeper.before_change(turn.number)).await;
            let (event, kept) = match kept {
                Ok(id) => (Event::Checkpoint { turn: turn.number, id }, Ok(())),
                Err(failed) => {
                    let event = Event::CheckpointFailed { turn: turn.number, problem: failed.text.clone() };
                    (event, Err(failed))
                }
            };
            if let Some(events) = events {
                // Nobody watches any more.
                events.send(event).await;
            }
            kept
        };
        match (turn.kept.get_or_init(keep).await, without) {
            (Err(failed), WithoutCheckpoint::Refuse) => Err(failed.clone()),
            _ => Ok(()),
        }
    }

    /// What is to be told before an event that ends a turn.
    pub(crate) async fn before(&self, event: &Event) -> Vec<Event> {
        let (Some((keeper, _)), Some(ended)) = (&self.keeper, self.ended_by(event)) else {
            return Vec::new();
        };
        let mut told = Vec::new();
        if ended.is_kept() {
            let turn = ended.number;
            match guarded(|| keeper.after_turn(turn)).await {
                Ok(diff) if diff.is_empty() => {}
                Ok(diff) => told.push(Event::TurnDiff { turn, diff }),
                Err(failed) => told.push(Event::CheckpointFailed { turn, problem: failed.text }),
            }
        }
        if matches!(event, Event::Finished { .. }) && (ended.is_kept() || ended.has_earlier) {
            match guarded(|| keeper.after_run()).await {
                Ok(diff) if diff.is_empty() => {}
                Ok(diff) => told.push(Event::RunDiff { diff }),
                Err(failed) => {
                    told.push(Event::CheckpointFailed { turn: ended.number, problem: failed.text });
                }
            }
        }
        told
    }

    /// The turn that an event ends, with which the next one begins.
    fn ended_by(&self, event: &Event) -> Option<Arc<Turn>> {
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

/// Waits for a checkpointer. One that panics has failed.
async fn guarded<'a>(keep: impl FnOnce() -> CheckpointFuture<'a>) -> Result<String, CheckpointFailed> {
    let kept = AssertUnwindSafe(async { keep().await }).catch_unwind().await;
    kept.unwrap_or_else(|_| Err(CheckpointFailed::new("what keeps checkpoints panicked")))
}

/// Whether a call may change what is kept: not by its own word, and not by its effects.
fn may_change(facts: &Facts) -> bool {
    let harmless =
        |effect: &Effect| effect.is_read() || matches!(effect, Effect::Connect { .. } | Effect::Internal);
    !facts.hints.read_only && !facts.effects.iter().all(harmless)
}
