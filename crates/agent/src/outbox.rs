//! The queue of events between a run and the reader of its stream.

mod progress;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use windlass_loop::Event;
use windlass_protocol::CallId;

use self::progress::Gap;

/// Events that may be unread before senders wait for the reader.
const UNREAD_EVENTS: usize = 16;

/// Bytes of progress text that may be unread before further text is left out.
const UNREAD_TEXT: usize = 1024 * 1024;

/// Bytes that each unread piece of text counts in addition to its length, so that the number of empty pieces
/// is bounded too.
const PIECE: usize = 64;

/// A queue of events with backpressure: [`Outbox::send`] waits while the reader is behind, so no event is
/// lost. Tools emit progress text without waiting, so it is the exception: above [`UNREAD_TEXT`] unread bytes
/// it is discarded, and an event at its place gives the number of missing bytes.
///
/// Dropping the reader closes the queue: senders do not wait any more, and new events are discarded.
#[derive(Clone)]
pub(crate) struct Outbox {
    queue: UnboundedSender<Item>,
    shared: Arc<Shared>,
}

/// The reader's end of an [`Outbox`].
pub(crate) struct Unread {
    queue: UnboundedReceiver<Item>,
    shared: Arc<Shared>,
}

struct Shared {
    room: Arc<Semaphore>,
    unread_text: AtomicUsize,
}

enum Item {
    /// The permit is released when the event is read.
    Event(Event, Option<OwnedSemaphorePermit>),
    /// A piece of a call's progress with its cost.
    Progress(Event, usize),
    LeftOut(CallId, Gap),
}

impl Outbox {
    pub(crate) fn new() -> (Self, Unread) {
        let (sender, receiver) = unbounded_channel();
        let room = Arc::new(Semaphore::new(UNREAD_EVENTS));
        let shared = Arc::new(Shared { room, unread_text: AtomicUsize::new(0) });
        (Self { queue: sender, shared: Arc::clone(&shared) }, Unread { queue: receiver, shared })
    }

    /// Appends an event after waiting until fewer than [`UNREAD_EVENTS`] events are unread.
    pub(crate) async fn send(&self, event: Event) {
        let permit = Arc::clone(&self.shared.room).acquire_owned().await.ok();
        drop(self.queue.send(Item::Event(event, permit)));
    }

    /// Appends an event without waiting. The sender should wait for [`Outbox::room`] before the next event.
    pub(crate) fn push_event(&self, event: Event) {
        let permit = Arc::clone(&self.shared.room).try_acquire_owned().ok();
        drop(self.queue.send(Item::Event(event, permit)));
    }

    /// Waits while the reader is behind.
    pub(crate) async fn room(&self) {
        drop(self.shared.room.acquire().await);
    }
}

impl Unread {
    /// Returns the next event, or `None` after the last event if all senders are dropped.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        let item = std::task::ready!(self.queue.poll_recv(cx));
        Poll::Ready(item.map(|item| match item {
            Item::Event(event, _permit) => event,
            Item::Progress(event, cost) => {
                self.shared.unread_text.fetch_sub(cost, Ordering::Relaxed);
                event
            }
            Item::LeftOut(call, bytes) => {
                let text = format!("\n[{} bytes of progress were left out here]\n", bytes.close());
                Event::CallProgress { call, text }
            }
        }))
    }

    /// Rejects further events. Queued events can still be read.
    pub(crate) fn close(&mut self) {
        self.queue.close();
        self.shared.room.close();
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        self.shared.room.close();
    }
}

#[cfg(test)]
mod tests;
