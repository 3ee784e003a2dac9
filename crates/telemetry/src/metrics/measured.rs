//! `MeasuredEvents`, an event stream that also records metrics.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use windlass_loop::Event;

use super::process::Metrics;
use super::run_metrics::RunMetrics;

/// An event stream that records the metrics of the events that pass through it.
#[derive(Debug)]
pub struct MeasuredEvents<S> {
    run: Option<RunMetrics>,
    events: S,
}

/// Wraps an event stream so that it records the metrics of its run. Without metrics the events pass through.
pub fn measure_events<S>(events: S, metrics: Option<&Metrics>) -> MeasuredEvents<S> {
    MeasuredEvents { run: metrics.map(RunMetrics::begin), events }
}

impl<S, E> Stream for MeasuredEvents<S>
where
    S: Stream<Item = Result<Event, E>> + Unpin,
{
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let next = Pin::new(&mut this.events).poll_next(cx);
        if let (Poll::Ready(Some(item)), Some(run)) = (&next, &mut this.run) {
            match item {
                Ok(event) => run.see(event),
                Err(_) => run.broke(),
            }
        }
        next
    }
}
