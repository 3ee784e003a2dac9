//! Spans of the sends of a request that is repeated at one upstream. Each has a link to the send before it.

use std::time::{Duration, SystemTime};

use opentelemetry::trace::{
    Link, Span as _, SpanContext, SpanKind, Status, TraceContextExt as _, Tracer as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::SdkTracer;
use windlass_gateway::RequestLine;

/// The time of a request at one upstream.
pub(super) struct Stay {
    upstream: String,
    /// The upstream's name in the conventions.
    provider: String,
    /// The parent of the spans of its sends.
    parent: SpanContext,
    start: SystemTime,
    /// The end and the status of the answer; `None` while it is open.
    end: Option<(SystemTime, u16)>,
}

impl Stay {
    /// Begins the time at an upstream of a chain.
    pub(super) fn begin(upstream: &str, provider: String, parent: SpanContext) -> Self {
        Self { upstream: upstream.to_owned(), provider, parent, start: SystemTime::now(), end: None }
    }

    /// Returns the time of a request that has ended at its only upstream.
    pub(super) fn from_request_line(line: &RequestLine, provider: String, parent: SpanContext) -> Self {
        let start = to_system_time(line.time_ms.saturating_add(line.wait_ms.unwrap_or_default()));
        let end = Some((SystemTime::now(), line.status));
        Self { upstream: line.upstream.clone(), provider, parent, start, end }
    }

    pub(super) fn is_of(&self, parent: &SpanContext) -> bool {
        self.parent == *parent
    }

    pub(super) fn end(&mut self, status: u16) {
        self.end = Some((SystemTime::now(), status));
    }
}

/// Records a span for each send at the upstreams where a request was repeated.
pub(super) fn record_sends(tracer: &SdkTracer, line: &RequestLine, stays: &[Stay]) {
    for stay in stays {
        let mut start = stay.start;
        let mut previous: Option<SpanContext> = None;
        for repeat in line.repeats.iter().filter(|repeat| repeat.upstream == stay.upstream) {
            let failure = to_system_time(repeat.time_ms);
            previous = Some(record(tracer, stay, previous, repeat.attempts, (start, failure), None));
            start = to_system_time(repeat.time_ms.saturating_add(repeat.wait_ms));
        }
        if let Some(previous) = previous {
            let number = line.repeats.iter().filter(|repeat| repeat.upstream == stay.upstream).count();
            let (end, status) = stay.end.unwrap_or((SystemTime::now(), line.status));
            let last = number.saturating_add(1);
            record(tracer, stay, Some(previous), last, (start, end), Some(status));
        }
    }
}

/// Records the span of one send. A send without a status failed, and another one followed.
fn record(
    tracer: &SdkTracer,
    stay: &Stay,
    previous: Option<SpanContext>,
    number: usize,
    (start, end): (SystemTime, SystemTime),
    status: Option<u16>,
) -> SpanContext {
    let mut builder = tracer
        .span_builder(format!("send {}", stay.upstream))
        .with_kind(SpanKind::Client)
        .with_start_time(start)
        .with_attributes([
            KeyValue::new("gen_ai.provider.name", stay.provider.clone()),
            KeyValue::new("windlass.upstream", stay.upstream.clone()),
            // The first send has the number 0, as in OpenTelemetry's conventions.
            KeyValue::new(
                "http.request.resend_count",
                i64::try_from(number.saturating_sub(1)).unwrap_or(i64::MAX),
            ),
        ]);
    if let Some(previous) = previous {
        builder = builder.with_links(vec![Link::with_context(previous)]);
    }
    let context = Context::new().with_remote_span_context(stay.parent.clone());
    let mut span = tracer.build_with_context(builder, &context);
    if let Some(status) = status {
        span.set_attribute(KeyValue::new("http.response.status_code", i64::from(status)));
        if status >= 400 {
            span.set_status(Status::error(status.to_string()));
        }
    } else {
        span.set_status(Status::error("repeated"));
        span.set_attribute(KeyValue::new("error.type", "repeated"));
    }
    let context = span.span_context().clone();
    span.end_with_timestamp(end.max(start));
    context
}

fn to_system_time(milliseconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(milliseconds)).unwrap_or(SystemTime::UNIX_EPOCH)
}
