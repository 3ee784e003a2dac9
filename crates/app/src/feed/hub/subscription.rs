//! A reader of a feed.

use std::collections::BTreeMap;
use std::fmt;

use tokio::sync::watch;

use super::Feed;
use crate::feed::event::FeedEvent;

/// Reader of a session's feed in this process. It holds positions, not events.
pub(crate) struct Subscription {
    feed: Feed,
    version: watch::Receiver<u64>,
    /// The number of the next event.
    next_seq: u64,
    /// The positions in the drafts.
    seen: BTreeMap<u64, DraftPosition>,
    /// Number of deltas that arrived as a part of another one.
    merged: u64,
    /// Number of drafts that were removed before the newest step.
    removed: u64,
}

/// The part of a draft that a reader received.
#[derive(Debug, Default)]
struct DraftPosition {
    offset: u64,
    pieces: u32,
    is_ended: bool,
}

/// The next step of a reader.
enum Step {
    Event(Box<FeedEvent>),
    Wait,
    /// The event with the next number is not in memory any more.
    Behind,
    Ended,
}

/// The reader is too far behind for the memory of the feed. It continues with the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReaderLag;

impl Subscription {
    pub(super) fn new(feed: Feed, version: watch::Receiver<u64>, next_seq: u64) -> Self {
        Self { feed, version, next_seq, seen: BTreeMap::new(), merged: 0, removed: 0 }
    }

    /// Returns the number of deltas that arrived as a part of another one.
    pub(crate) fn count_merged(&self) -> u64 {
        self.merged
    }

    /// Returns the next event, or `None` after the end. Cancel-safe.
    ///
    /// # Errors
    ///
    /// Fails if the reader has to read the next events from the records.
    pub(crate) async fn next(&mut self) -> Result<Option<FeedEvent>, ReaderLag> {
        loop {
            // Marks the version before the check, so that no change in between is missed.
            self.version.borrow_and_update();
            match self.step() {
                Step::Event(event) => return Ok(Some(*event)),
                Step::Behind => return Err(ReaderLag),
                Step::Ended => return Ok(None),
                Step::Wait => {}
            }
            if self.version.changed().await.is_err() {
                return Ok(None);
            }
        }
    }

    fn step(&mut self) -> Step {
        let feed = self.feed.clone();
        let state = feed.lock();
        if self.next_seq < state.next_seq {
            let oldest = state.events.front().map_or(state.next_seq, |event| event.seq);
            let Some(index) = self.next_seq.checked_sub(oldest) else { return Step::Behind };
            let event = usize::try_from(index).ok().and_then(|index| state.events.get(index));
            let Some(event) = event else { return Step::Behind };
            self.next_seq = self.next_seq.saturating_add(1);
            return Step::Event(Box::new((**event).clone()));
        }
        if self.removed != state.drafts.count_removed() {
            self.removed = state.drafts.count_removed();
            self.seen.retain(|id, _| state.drafts.contains(*id));
        }
        for (id, draft) in state.drafts.iter() {
            let is_new = !self.seen.contains_key(&id);
            let seen = self.seen.entry(id).or_default();
            let event = if draft.is_text && (draft.end_offset() > seen.offset || (is_new && draft.pieces > 0))
            {
                let event = draft.delta_from(seen.offset, seen.pieces);
                let pieces = draft.pieces.saturating_sub(seen.pieces);
                self.merged = self.merged.saturating_add(u64::from(pieces.saturating_sub(1)));
                (seen.offset, seen.pieces) = (draft.end_offset(), draft.pieces);
                event
            } else if is_new && !draft.is_text {
                draft.template.clone()
            } else if let (false, Some(end)) = (seen.is_ended, &draft.end) {
                seen.is_ended = true;
                end.clone()
            } else {
                continue;
            };
            // A delta has the number of the last numbered event that its reader received.
            let event = FeedEvent { seq: self.next_seq.saturating_sub(1), ..event };
            return Step::Event(Box::new(event));
        }
        if state.has_ended { Step::Ended } else { Step::Wait }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("next_seq", &self.next_seq).finish_non_exhaustive()
    }
}
