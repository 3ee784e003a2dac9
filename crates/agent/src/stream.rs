//! The event stream of a run.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures_core::Stream;
use windlass_loop::{BudgetUsage, Command, Event, Transcript};
use windlass_tool::CancellationToken;

use crate::driver::Driver;
use crate::outbox::{Outbox, Unread};
use crate::{AgentError, RunningCalls};

type Run = Pin<Box<dyn Future<Output = Result<(), AgentError>> + Send>>;

/// The events of a run as a stream, which ends with [`Event::Finished`]. The run advances only while the
/// stream is polled. Dropping the stream cancels the run and everything that it started.
///
/// No event is lost, because the run waits while the reader is behind. The exception is progress text
/// ([`Event::CallProgress`]): text above one mebibyte unread is discarded, and an event at its place gives
/// the number of missing bytes.
///
/// An error is returned after all events that happened before it, and ends the stream.
///
/// ```
/// use futures_util::StreamExt;
/// use windlass_agent::{Agent, AgentError, Event};
///
/// async fn answer_text(agent: &Agent, task: &str) -> Result<String, AgentError> {
///     let mut events = agent.stream(task);
///     let mut answer = String::new();
///     while let Some(event) = events.next().await {
///         if let Event::Text { text } = event? {
///             answer.push_str(&text);
///         }
///     }
///     Ok(answer)
/// }
/// ```
pub struct EventStream {
    events: Unread,
    run: Option<Run>,
    /// The error that ended the run; it is returned after the queued events.
    error: Option<AgentError>,
    /// The conversation and the usage, after the run has ended.
    end: RunEnd,
    cancellation: CancellationToken,
    running_calls: RunningCalls,
}

/// The conversation and the usage of a run, which its driver sets when the run ends.
pub(crate) type RunEnd = Arc<Mutex<Option<(Transcript, BudgetUsage)>>>;

impl EventStream {
    pub(crate) fn new(driver: Driver, effects: Vec<Command>) -> Self {
        let (outbox, events) = Outbox::new();
        let end = RunEnd::default();
        let (cancellation, running_calls) = (driver.cancellation(), driver.running_calls());
        let run = Box::pin(driver.drive(effects, outbox, Arc::clone(&end)));
        Self { events, run: Some(run), error: None, end, cancellation, running_calls }
    }

    /// Returns the token that stops the run in order.
    pub(crate) fn cancellation(&self) -> CancellationToken {
        self.cancellation.clone()
    }

    /// Returns the calls of the run that work.
    pub(crate) fn running_calls(&self) -> RunningCalls {
        self.running_calls.clone()
    }

    /// Returns the conversation and the usage of a run that has ended, once.
    pub(crate) fn take_end(&self) -> Option<(Transcript, BudgetUsage)> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).take()
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
