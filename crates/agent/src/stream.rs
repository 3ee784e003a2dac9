//! A run as a stream of events.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use windlass_loop::{Effect, Event};

use crate::AgentError;
use crate::driver::Driver;
use crate::outbox::{Outbox, Unread};

type Run = Pin<Box<dyn Future<Output = Result<(), AgentError>> + Send>>;

/// A run as a stream of events; the last one is `Event::Finished`. The run goes on only while the stream is
/// read, and dropping the stream cancels it with everything that it started.
///
/// No event is lost: while the reader is behind, the run waits. Only progress text ([`Event::CallProgress`]) is left out
/// when more than a mebibyte of it is unread, and an event at its place says how many bytes are missing.
///
/// An error comes behind all events that happened before it, and the stream ends with it.
pub struct EventStream {
    events: Unread,
    run: Option<Run>,
    /// The error that ended the run. It is returned behind the events that happened before it.
    error: Option<AgentError>,
}

impl EventStream {
    pub(crate) fn new(driver: Driver, effects: Vec<Effect>) -> Self {
        let (outbox, events) = Outbox::new();
        Self { events, run: Some(Box::pin(driver.drive(effects, outbox))), error: None }
    }
}

impl Stream for EventStream {
    type Item = Result<Event, AgentError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let Some(run) = &mut this.run
            && let Poll::Ready(end) = run.as_mut().poll(cx)
        {
            this.run = None;
            if let Err(error) = end {
                this.error = Some(error);
                this.events.close();
            }
        }
        let event = std::task::ready!(this.events.poll_next(cx));
        Poll::Ready(event.map(Ok).or_else(|| this.error.take().map(Err)))
    }
}

impl std::fmt::Debug for EventStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventStream").field("is_running", &self.run.is_some()).finish_non_exhaustive()
    }
}
