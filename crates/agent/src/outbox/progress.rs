//! The progress text of a call, which is discarded while too much text is unread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use windlass_loop::Event;
use windlass_protocol::CallId;

use super::{Item, Outbox, PIECE, UNREAD_TEXT};

impl Outbox {
    /// Returns the sender for the progress text of a call.
    pub(crate) fn text_of(&self, call: CallId) -> ProgressText {
        ProgressText { outbox: self.clone(), call, gap: Mutex::new(Gap::from_bytes(CLOSED)) }
    }
}

/// The progress text of one call.
pub(crate) struct ProgressText {
    outbox: Outbox,
    call: CallId,
    /// The newest gap.
    gap: Mutex<Gap>,
}

/// The number of bytes that are missing at one place, or [`CLOSED`] after the reader has passed it.
#[derive(Clone)]
pub(super) struct Gap(Arc<AtomicU64>);

const CLOSED: u64 = u64::MAX;

impl Gap {
    fn from_bytes(bytes: u64) -> Self {
        Self(Arc::new(AtomicU64::new(bytes)))
    }

    /// Adds bytes to the gap. Returns `false` if the reader has passed it.
    fn add(&self, bytes: u64) -> bool {
        let more = |known: u64| (known != CLOSED).then(|| known.saturating_add(bytes).min(CLOSED - 1));
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Closes the gap and returns its bytes.
    pub(super) fn close(&self) -> u64 {
        self.0.swap(CLOSED, Ordering::Relaxed)
    }
}

impl ProgressText {
    /// Appends a piece of output, or adds its length to the gap if too much text is unread.
    pub(crate) fn push_output(&self, text: String) {
        self.push(text.len(), Event::CallProgress { call: self.call.clone(), text });
    }

    /// Appends a description of the activity like a piece of output.
    pub(crate) fn push_note(&self, text: String) {
        self.push(text.len(), Event::CallNote { call: self.call.clone(), text });
    }

    fn push(&self, bytes: usize, event: Event) {
        let (queue, unread) = (&self.outbox.queue, &self.outbox.shared.unread_text);
        let cost = bytes.saturating_add(PIECE);
        let mut gap = self.gap.lock().unwrap_or_else(PoisonError::into_inner);
        if gap.add(bytes as u64) {
            return;
        }
        let item = if unread.load(Ordering::Relaxed).saturating_add(cost) <= UNREAD_TEXT {
            unread.fetch_add(cost, Ordering::Relaxed);
            Item::Progress(event, cost)
        } else {
            *gap = Gap::from_bytes(bytes as u64);
            Item::LeftOut(self.call.clone(), gap.clone())
        };
        drop(queue.send(item));
    }
}
