//! The progress text of a call, which is discarded while too much text is unread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
    /// Appends text, or adds its length to the gap if too much text is unread.
    pub(crate) fn push_text(&self, text: String) {
        let (queue, unread) = (&self.outbox.queue, &self.outbox.shared.unread_text);
        let cost = text.len().saturating_add(PIECE);
        let mut gap = self.gap.lock().unwrap_or_else(PoisonError::into_inner);
        if gap.add(text.len() as u64) {
            return;
        }
        let item = if unread.load(Ordering::Relaxed).saturating_add(cost) <= UNREAD_TEXT {
            unread.fetch_add(cost, Ordering::Relaxed);
            Item::Text(self.call.clone(), text)
        } else {
            *gap = Gap::from_bytes(text.len() as u64);
            Item::LeftOut(self.call.clone(), gap.clone())
        };
        drop(queue.send(item));
    }
}
