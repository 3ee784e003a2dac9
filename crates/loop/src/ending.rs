//! The end of a run: completion, cancellation or failure.

use crate::machine::{Machine, Phase};
use crate::{Effect, Entry, Event, Outcome, StopCause, StreamFailure};

impl Machine {
    /// Completes the task after its result has been accepted. A queued message starts the next task unless
    /// the run was cancelled.
    pub(crate) fn complete(&mut self, text: String, cancelled: bool) {
        self.show(Event::TaskCompleted { text: text.clone(), usage: self.usage });
        if cancelled || !self.follow_up() {
            self.end(Outcome::Completed { text });
        }
    }

    pub(crate) fn cancel(&mut self) {
        match std::mem::replace(&mut self.phase, Phase::Over) {
            Phase::Over => {}
            Phase::Streaming(streaming) => {
                self.want(Effect::CloseStream);
                self.abandon(&streaming.ahead);
                self.keep_words(*streaming);
                self.stop(StopCause::Cancelled);
            }
            Phase::Executing(execution) => {
                self.phase = Phase::Executing(execution);
                self.cancel_execution();
            }
            Phase::Condensing(condensing) => {
                self.want(Effect::CloseStream);
                self.drop_summary(*condensing);
                self.stop(StopCause::Cancelled);
            }
            Phase::Idle | Phase::Consulting { .. } => self.stop(StopCause::Cancelled),
        }
    }

    pub(crate) fn stop(&mut self, cause: StopCause) {
        self.end(Outcome::Stopped { cause });
    }

    pub(crate) fn end(&mut self, outcome: Outcome) {
        self.phase = Phase::Over;
        if self.unrecorded.is_some() {
            self.discard_attempt();
        }
        self.want(Effect::Record(Entry::Finished { outcome: outcome.clone() }));
        self.show(Event::Finished { outcome: outcome.clone(), total: self.usage });
        self.want(Effect::Done(outcome));
    }

    pub(crate) fn fail(&mut self, failure: &StreamFailure) {
        self.end(Outcome::Failed { message: failure.message.clone() });
    }
}
