//! A run in a task of its own, whose events any number of readers read.

mod buffer;
mod reader;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use futures_util::StreamExt as _;
use tokio::task::AbortHandle;
use windlass_loop::Event;
use windlass_tool::CancellationToken;

use self::buffer::EventBuffer;
use crate::{AgentError, EventStream, Report};

pub use self::buffer::{EventBufferLimits, NumberedEvent};
pub use self::reader::RunReader;

/// A run in a task of its own. Its events have numbers, and any number of readers read them from any number on, so a
/// reader can leave and take the stream up again.
///
/// The run does not wait for readers, and dropping readers or handles does not stop it. [`stop`](Self::stop) does. A
/// slow or a late reader gets adjacent pieces of text and arguments joined; the joined text is the same.
/// [`EventBufferLimits`] bounds the memory for pieces, and the oldest pieces are dropped above it. Decisions, results,
/// errors and the end are never dropped.
///
/// ```
/// use futures_util::StreamExt;
/// use windlass_agent::{Agent, AgentError, Event};
///
/// async fn read_twice(agent: &Agent) -> Result<String, Box<dyn std::error::Error>> {
///     let run = agent.stream("Write a poem.").spawn();
///     let mut reader = run.events();
///     let first = reader.next().await;
///     let number = reader.next_number();
///     drop((first, reader)); // The connection to the browser broke; the run continues.
///
///     let mut poem = String::new();
///     let mut reader = run.events_from(number);
///     while let Some(event) = reader.next().await {
///         if let Event::Text { text } = event?.event {
///             poem.push_str(&text);
///         }
///     }
///     Ok(poem)
/// }
/// ```
#[derive(Clone)]
pub struct RunHandle {
    shared: Arc<Shared>,
    cancellation: CancellationToken,
    task: AbortHandle,
}

/// The buffer of a run, and its readers that wait.
pub(crate) struct Shared {
    state: Mutex<State>,
}

struct State {
    buffer: EventBuffer,
    /// The result of the run, after its last event.
    end: Option<Result<Option<Report>, Arc<AgentError>>>,
    /// The readers that wait, by their ids.
    waiting: HashMap<u64, Waker>,
    next_reader: u64,
}

impl Shared {
    fn new(limits: EventBufferLimits) -> Self {
        let buffer = EventBuffer::new(limits);
        Self { state: Mutex::new(State { buffer, end: None, waiting: HashMap::new(), next_reader: 0 }) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, event: Event) {
        let mut state = self.lock();
        state.buffer.push(event);
        wake(state);
    }

    /// Sets the result of the run unless it is set.
    fn end(&self, end: Result<Option<Report>, AgentError>) {
        let mut state = self.lock();
        state.end.get_or_insert_with(|| end.map_err(Arc::new));
        wake(state);
    }
}

/// Wakes all readers after the lock is released.
fn wake(mut state: MutexGuard<'_, State>) {
    let waiting = std::mem::take(&mut state.waiting);
    drop(state);
    for waker in waiting.into_values() {
        waker.wake();
    }
}

/// Ends the stream of the readers if the task of the run is aborted or panics.
struct EndOnDrop(Arc<Shared>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end(Err(AgentError::TaskEnded));
    }
}

async fn drive(mut events: EventStream, shared: Arc<Shared>) {
    let shared = EndOnDrop(shared);
    let mut report = None;
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => {
                if let Event::Finished { outcome, total } = &event {
                    report = events.take_report(outcome.clone(), *total);
                }
                shared.0.push(event);
            }
            Err(error) => shared.0.end(Err(error)),
        }
    }
    shared.0.end(Ok(report));
}

impl EventStream {
    /// Moves the run to a task of its own, in which it continues without a reader.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime.
    pub fn spawn(self) -> RunHandle {
        self.spawn_with(EventBufferLimits::default())
    }

    /// Like [`spawn`](Self::spawn), with limits of the buffer.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime.
    pub fn spawn_with(self, limits: EventBufferLimits) -> RunHandle {
        let shared = Arc::new(Shared::new(limits));
        let cancellation = self.cancellation();
        let task = tokio::spawn(drive(self, Arc::clone(&shared))).abort_handle();
        RunHandle { shared, cancellation, task }
    }
}

impl RunHandle {
    /// Returns a reader of all events.
    pub fn events(&self) -> RunReader {
        self.events_from(1)
    }

    /// Returns a reader of the events from a number on. The first event has the number 1.
    pub fn events_from(&self, number: u64) -> RunReader {
        RunReader::new(Arc::clone(&self.shared), number)
    }

    /// Returns the number of events so far, which is the number of the last event.
    pub fn event_count(&self) -> u64 {
        self.shared.lock().buffer.count()
    }

    /// Returns whether the run has ended. Its events can still be read.
    pub fn is_ended(&self) -> bool {
        self.shared.lock().end.is_some()
    }

    /// Stops the run in order: every open call gets a result, and the last event is [`Event::Finished`].
    pub fn stop(&self) {
        self.cancellation.cancel();
    }

    /// Stops the run at once, like dropping its stream. Readers get [`AgentError::TaskEnded`] after the last event.
    pub fn abort(&self) {
        self.task.abort();
    }

    /// Waits for the end of the run and returns its report. Cancel-safe: dropping the future does not stop the run.
    ///
    /// # Errors
    /// Returns the error that ended the run.
    pub async fn report(&self) -> Result<Report, Arc<AgentError>> {
        let mut end = self.events_from(u64::MAX);
        while let Some(event) = end.next().await {
            event?;
        }
        let report = self.shared.lock().end.clone();
        report.unwrap_or(Ok(None))?.ok_or_else(|| Arc::new(AgentError::Unfinished))
    }
}

impl std::fmt::Debug for RunHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("RunHandle");
        shown.field("event_count", &self.event_count()).field("is_ended", &self.is_ended());
        shown.finish_non_exhaustive()
    }
}
