//! `TracedEvents`, an event stream that also emits spans.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use windlass_loop::Event;

use crate::{SpanOptions, Spans};

/// An event stream that emits spans for the events that pass through it.
#[derive(Debug)]
pub struct TracedEvents<S> {
    // Declared before the stream, so that it is dropped first and open spans end as dropped.
    spans: Spans,
    events: S,
}

/// Wraps an event stream so that it emits the spans of its run. The spans end with the last event, with an
/// error, or when the stream is dropped.
///
/// The inner stream is polled inside the run's span, so spans of other crates become its children.
///
/// ```
/// # use windlass_agent::Agent;
/// # use windlass_protocol::{Request, StopReason};
/// # use windlass_stream::{Chunk, ChunkStream, Model, ModelFuture};
/// # struct Parrot;
/// # impl Model for Parrot {
/// #     fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
/// #         let chunks = [Chunk::text("hello"), Chunk::Finish { reason: StopReason::End, raw: "stop".into() }];
/// #         Box::pin(async { Ok(Box::pin(futures_util::stream::iter(chunks.map(Ok))) as ChunkStream) })
/// #     }
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use futures_util::StreamExt;
/// use windlass_telemetry::{SpanOptions, trace_events};
///
/// let agent = Agent::builder().model(Parrot, "parrot-1").build()?;
/// let mut events = trace_events(agent.stream("say hello"), &SpanOptions::default().with_model("parrot-1"));
/// while let Some(event) = events.next().await {
///     event?;
/// }
/// # Ok(())
/// # }
/// ```
pub fn trace_events<S>(events: S, options: &SpanOptions) -> TracedEvents<S> {
    TracedEvents { spans: Spans::begin(options), events }
}

impl<S, E> Stream for TracedEvents<S>
where
    S: Stream<Item = Result<Event, E>> + Unpin,
{
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let run = this.spans.run();
        let next = run.in_scope(|| Pin::new(&mut this.events).poll_next(cx));
        match &next {
            Poll::Ready(Some(Ok(event))) => this.spans.see(event),
            Poll::Ready(Some(Err(_))) => this.spans.broke(),
            Poll::Ready(None) | Poll::Pending => {}
        }
        next
    }
}
