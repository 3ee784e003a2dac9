//! `Traced`: an event stream whose events become spans on their way.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use windlass_loop::Event;

use crate::{SpanOptions, Spans};

/// An event stream whose events become spans on their way.
#[derive(Debug)]
pub struct Traced<S> {
    // Before the stream, so that what is still open is told as dropped and not as ended.
    spans: Spans,
    events: S,
}

/// The same stream, with the spans of its run. They end with its last event, with an error, or when it is dropped.
///
/// What the stream does when it is read happens within the run's span, so that spans of other crates lie in it.
///
/// ```
/// # use windlass_agent::Agent;
/// # use windlass_model::{ChunkStream, Model, ModelFuture};
/// # use windlass_protocol::{Request, StopReason};
/// # use windlass_stream::Chunk;
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
/// use windlass_telemetry::{SpanOptions, traced};
///
/// let agent = Agent::builder().model(Parrot, "parrot-1").build()?;
/// let mut events = traced(agent.stream("say hello"), &SpanOptions::default().with_model("parrot-1"));
/// while let Some(event) = events.next().await {
///     event?;
/// }
/// # Ok(())
/// # }
/// ```
pub fn traced<S>(events: S, options: &SpanOptions) -> Traced<S> {
    Traced { spans: Spans::begin(options), events }
}

impl<S, E> Stream for Traced<S>
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
