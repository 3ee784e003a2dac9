//! Lines about waits on a terminal: calls that run for long, and a model that sends nothing.

use tokio::time::Instant;
use windlass_agent::Event;

use crate::long_calls::LongCalls;
use crate::stalls::Stalls;

/// The waits of a run.
#[derive(Debug)]
pub(crate) struct Progress {
    calls: LongCalls,
    stalls: Stalls,
}

impl Progress {
    /// Reports waits if standard output is a terminal.
    pub(crate) fn new() -> Self {
        Self { calls: LongCalls::new(), stalls: Stalls::new() }
    }

    /// Follows the calls and the requests of the run itself.
    pub(crate) fn observe(&mut self, event: &Event) {
        let now = Instant::now();
        self.calls.observe(event, now);
        self.stalls.observe(event, now);
    }

    /// Notes that the next request is sent at this time, which was reported.
    pub(crate) fn defer(&mut self, request: Option<Instant>) {
        if let Some(request) = request {
            self.stalls.defer(request);
        }
    }

    /// Waits until something is reported, and returns the report. Cancel-safe.
    pub(crate) async fn next_report(&mut self) -> String {
        tokio::select! {
            report = self.calls.next_report() => report,
            report = self.stalls.next_report() => report,
        }
    }
}
