//! Spans of requests, for a tracing library outside of this crate.

use std::fmt;
use std::sync::Arc;

use super::attempt::{Attempt, AttemptSpan};
use super::log::RequestLine;
use crate::ClientRequest;

/// A receiver of spans: one for each request to a model, from its first byte to the last byte of its answer.
///
/// `windlass proxy --otlp` implements it with OpenTelemetry. The names of the attributes are those of OpenTelemetry's
/// conventions for generative AI; a [`RequestLine`] has their values.
pub trait RequestTracer: Send + Sync {
    /// Begins a span. `parent` is the header `traceparent` of the client.
    fn begin(&self, line: &RequestLine, parent: Option<&str>) -> Box<dyn RequestSpan>;
}

/// The span of a request.
pub trait RequestSpan: Send + Sync {
    /// Returns the header `traceparent` that the upstream receives in place of the client's, or `None` to send the
    /// client's unchanged.
    fn trace_parent(&self) -> Option<String>;

    /// Begins the span of an attempt at one gateway of a chain. Its `traceparent` replaces that of the request for this
    /// upstream. The default traces no attempts. A chain of one gateway has none.
    fn begin_attempt(&self, attempt: &Attempt) -> Option<Box<dyn AttemptSpan>> {
        let _ = attempt;
        None
    }

    /// Ends the span. It is called once, also for an answer that was cut.
    fn end(self: Box<Self>, line: &RequestLine);
}

/// The receiver of a server, if it has one.
#[derive(Clone, Default)]
pub(super) struct Tracer(Option<Arc<dyn RequestTracer>>);

impl Tracer {
    pub(super) fn new(tracer: Arc<dyn RequestTracer>) -> Self {
        Self(Some(tracer))
    }

    /// Begins the span of a request.
    pub(super) fn begin(&self, line: &RequestLine, request: &ClientRequest) -> Option<Box<dyn RequestSpan>> {
        self.0.as_ref().map(|tracer| tracer.begin(line, request.header("traceparent")))
    }
}

/// Returns the request with a `traceparent`. Without one the request is unchanged.
pub(super) fn replace_parent(mut request: ClientRequest, parent: Option<String>) -> ClientRequest {
    let Some(parent) = parent else { return request };
    request.headers.retain(|(name, _)| name != "traceparent");
    request.headers.push(("traceparent".to_owned(), parent));
    request
}

impl fmt::Debug for Tracer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tracer").field(&self.0.is_some()).finish()
    }
}
