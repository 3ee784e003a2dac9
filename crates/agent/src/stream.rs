//! A run as a stream of events.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use tokio::sync::mpsc;
use windlass_loop::{Effect, Event};

use crate::AgentError;
use crate::driver::Driver;

/// How many events may wait for a slow watcher before the run waits too.
const WAITING_EVENTS: usize = 16;

type Run = Pin<Box<dyn Future<Output = Result<(), AgentError>> + Send>>;

/// A run as a stream of events; the last one is `Event::Finished`. The run goes on only while the stream is
/// read, and dropping the stream cancels it with everything that it started.
pub struct EventStream {
    events: mpsc::Receiver<Event>,
    run: Option<Run>,
}

impl EventStream {
    pub(crate) fn new(driver: Driver, effects: Vec<Effect>) -> Self {
        let (sender, events) = mpsc::channel(WAITING_EVENTS);
        Self { events, run: Some(Box::pin(driver.drive(effects, sender))) }
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
                return Poll::Ready(Some(Err(error)));
            }
        }
        this.events.poll_recv(cx).map(|event| event.map(Ok))
    }
}

impl std::fmt::Debug for EventStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventStream").field("is_running", &self.run.is_some()).finish_non_exhaustive()
    }
}
