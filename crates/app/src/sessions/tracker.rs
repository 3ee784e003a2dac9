//! The record of a session follows the feed of its working run.

use std::fmt;
use std::sync::Arc;

use super::record::{SessionRecord, SessionState};
use super::store::SessionStore;
use crate::error::Result;
use crate::feed::{FeedEvent, FeedFollower, FeedKind, Tokens, now_ms};

/// Time between two writes that only change tokens, in milliseconds.
const INTERVAL_MS: u64 = 1_000;

/// Writer of a session's record, which follows the events of the session's working run.
pub(crate) struct SessionTracker {
    store: Arc<dyn SessionStore>,
    session: String,
    run: String,
    state: SessionState,
    open_questions: usize,
    total: Tokens,
    written_ms: u64,
}

impl SessionTracker {
    /// Stores the record of a session whose newest run starts or continues.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    pub(crate) fn start(
        store: Arc<dyn SessionStore>,
        mut record: SessionRecord,
        open_questions: usize,
    ) -> Result<Self> {
        record.state = if open_questions > 0 { SessionState::Waiting } else { SessionState::Working };
        record.open_questions = open_questions;
        record.updated_ms = now_ms();
        (record.is_found, record.read_ms) = (false, None);
        let newest = record.newest_run();
        let tracker = Self {
            run: newest.map(|run| run.id.clone()).unwrap_or_default(),
            total: newest.map(|run| run.total).unwrap_or_default(),
            session: record.id.clone(),
            state: record.state,
            open_questions,
            written_ms: record.updated_ms,
            store,
        };
        tracker.store.save(&record)?;
        Ok(tracker)
    }

    /// Applies an event. Returns true if the tokens changed.
    fn apply(&mut self, event: &FeedEvent) -> bool {
        match &event.kind {
            FeedKind::QuestionOpened { .. } => {
                self.open_questions = self.open_questions.saturating_add(1);
                self.state = SessionState::Waiting;
            }
            FeedKind::QuestionClosed { .. } => {
                self.open_questions = self.open_questions.saturating_sub(1);
                if self.open_questions == 0 && self.state == SessionState::Waiting {
                    self.state = SessionState::Working;
                }
            }
            FeedKind::TurnEnded { total, .. } if event.agent.is_none() => {
                self.total = *total;
                return true;
            }
            // The next total of the run contains the tokens of the agent.
            FeedKind::TurnEnded { usage, .. } => {
                self.total.add(usage);
                return true;
            }
            FeedKind::RunEnded { outcome, total } if event.agent.is_none() => {
                self.total = *total;
                self.state = SessionState::from(outcome);
                if self.state != SessionState::Suspended {
                    self.open_questions = 0;
                }
            }
            _ => {}
        }
        false
    }

    /// Writes the fields that the run determines. A person may have renamed the session meanwhile.
    fn write(&mut self, now_ms: u64) -> Result<()> {
        self.written_ms = now_ms;
        // A deleted session stays deleted.
        let Some(mut record) = self.store.get(&self.session)? else { return Ok(()) };
        record.state = self.state;
        record.open_questions = self.open_questions;
        record.updated_ms = now_ms;
        if let Some(run) = record.runs.iter_mut().find(|run| run.id == self.run) {
            run.total = self.total;
        }
        self.store.save(&record)
    }
}

impl FeedFollower for SessionTracker {
    fn follow(&mut self, events: &[FeedEvent]) -> Result<()> {
        let (before, questions) = (self.state, self.open_questions);
        let mut has_more = false;
        for event in events {
            has_more |= self.apply(event);
        }
        // A change of the state is stored at once.
        let is_changed = self.state != before || self.open_questions != questions;
        let now = now_ms();
        if is_changed || (has_more && now.saturating_sub(self.written_ms) >= INTERVAL_MS) {
            self.write(now)?;
        }
        Ok(())
    }

    fn leave(&mut self) {
        if self.state.is_active() {
            self.state = SessionState::Interrupted;
            // A list of sessions finds out later if this fails.
            drop(self.write(now_ms()));
        }
    }
}

impl fmt::Debug for SessionTracker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionTracker").field("session", &self.session).finish_non_exhaustive()
    }
}
