//! The feed of a session in this process: readers that follow it.

mod drafts;
mod subscription;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use self::drafts::Drafts;
pub(crate) use self::subscription::Subscription;
use super::event::FeedEvent;

/// Numbered events that a feed keeps in memory. A reader that is further behind reads the rest from the records.
const KEPT_EVENTS: usize = 1_024;

/// The feed of a session while its run works in this process. Clones are handles to the same feed.
///
/// Readers share one copy of the events: a reader is a position. Publishing never waits for a reader. A reader that is
/// slow gets the deltas that it missed as one, and every numbered event.
#[derive(Clone)]
pub(crate) struct Feed {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Changes with every published event, and is closed at the end.
    version: watch::Sender<u64>,
}

struct State {
    /// The newest numbered events.
    events: VecDeque<Arc<FeedEvent>>,
    /// The number of the event that is published next.
    next_seq: u64,
    drafts: Drafts,
    has_ended: bool,
}

impl Feed {
    /// Creates a feed whose next event has this number.
    pub(crate) fn new(next_seq: u64) -> Self {
        let state = State { events: VecDeque::new(), next_seq, drafts: Drafts::default(), has_ended: false };
        let (version, _) = watch::channel(0);
        Self { shared: Arc::new(Shared { state: Mutex::new(state), version }) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes events in their order.
    pub(crate) fn publish(&self, events: impl IntoIterator<Item = FeedEvent>) {
        let mut is_changed = false;
        {
            let mut state = self.lock();
            for event in events {
                is_changed = true;
                state.drafts.follow(&event);
                if event.kind.is_numbered() {
                    state.next_seq = event.seq.saturating_add(1);
                    state.events.push_back(Arc::new(event));
                    if state.events.len() > KEPT_EVENTS {
                        state.events.pop_front();
                    }
                }
            }
        }
        if is_changed {
            self.shared.version.send_modify(|version| *version = version.wrapping_add(1));
        }
    }

    /// Ends the feed. Readers get the events until now, and then `None`.
    pub(crate) fn end(&self) {
        self.lock().has_ended = true;
        self.shared.version.send_modify(|version| *version = version.wrapping_add(1));
    }

    /// Returns a reader of the events after a number, and the number of the first event that it returns. Earlier
    /// events are in the records. Without a number the reader begins with the next event.
    pub(crate) fn subscribe(&self, after: Option<u64>) -> (Subscription, u64) {
        let state = self.lock();
        let oldest = state.events.front().map_or(state.next_seq, |event| event.seq);
        let wanted = after.map_or(state.next_seq, |after| after.saturating_add(1));
        let first = wanted.clamp(oldest, state.next_seq);
        drop(state);
        (Subscription::new(self.clone(), self.shared.version.subscribe(), first), first)
    }
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("Feed").field("next_seq", &state.next_seq).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
