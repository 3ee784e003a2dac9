//! A reader of the events of a run.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::{NumberedEvent, Shared};
use crate::AgentError;

/// The events of a [`RunHandle`](crate::RunHandle) from a number on, as a stream. It ends after the last event of the
/// run; an error that ended the run comes after it. Dropping the reader does not stop the run.
pub struct RunReader {
    shared: Arc<Shared>,
    id: u64,
    next: u64,
    is_over: bool,
}

impl RunReader {
    pub(super) fn new(shared: Arc<Shared>, next: u64) -> Self {
        let mut state = shared.lock();
        let id = state.next_reader;
        state.next_reader = id.saturating_add(1);
        drop(state);
        Self { shared, id, next: next.max(1), is_over: false }
    }

    /// Returns the number of the next event, with which [`RunHandle::events_from`](crate::RunHandle::events_from)
    /// continues after the last event that this reader returned.
    pub fn next_number(&self) -> u64 {
        self.next
    }
}

impl Stream for RunReader {
    type Item = Result<NumberedEvent, Arc<AgentError>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if this.is_over {
            return Poll::Ready(None);
        }
        let mut state = this.shared.lock();
        if let Some(event) = state.buffer.read(this.next) {
            this.next = event.number.saturating_add(1);
            return Poll::Ready(Some(Ok(event)));
        }
        match &state.end {
            None => {
                state.waiting.insert(this.id, cx.waker().clone());
                Poll::Pending
            }
            Some(end) => {
                this.is_over = true;
                Poll::Ready(end.as_ref().err().map(|error| Err(Arc::clone(error))))
            }
        }
    }
}

impl Drop for RunReader {
    fn drop(&mut self) {
        self.shared.lock().waiting.remove(&self.id);
    }
}

impl std::fmt::Debug for RunReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunReader").field("next", &self.next).finish_non_exhaustive()
    }
}
