//! Spans of the gateway's requests, as OpenTelemetry's conventions for generative AI name them.

mod sends;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opentelemetry::trace::{
    Span as _, SpanContext, SpanId, SpanKind, Status, TraceContextExt as _, TraceFlags, TraceId, TraceState,
    Tracer as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::{SdkTracer, Span};
use windlass_gateway::{Attempt, AttemptSpan, RequestLine, RequestSpan, RequestTracer};
use windlass_vendors::Vendors;

use sends::{Stay, record_sends};

/// The tracer of a gateway.
pub(crate) struct GatewayTracer {
    tracer: SdkTracer,
    /// The names of providers in the conventions.
    vendors: Arc<Vendors>,
}

/// A span that a request fills until its answer has ended.
struct GatewaySpan {
    tracer: SdkTracer,
    vendors: Arc<Vendors>,
    span: Mutex<Span>,
    /// The attempts at the upstreams of a chain, for the spans of repeats.
    stays: Arc<Mutex<Vec<Stay>>>,
}

/// The span of an attempt at one upstream, which is a child of the request's span.
struct UpstreamSpan {
    span: Mutex<Span>,
    stays: Arc<Mutex<Vec<Stay>>>,
}

impl GatewayTracer {
    pub(crate) fn new(tracer: SdkTracer, vendors: Arc<Vendors>) -> Self {
        Self { tracer, vendors }
    }
}

impl RequestTracer for GatewayTracer {
    fn begin(&self, line: &RequestLine, parent: Option<&str>) -> Box<dyn RequestSpan> {
        let operation = if line.path.contains("mbed") { "embeddings" } else { "chat" };
        let builder =
            self.tracer.span_builder(format!("{operation} {}", line.model)).with_kind(SpanKind::Client);
        let builder = builder.with_attributes([
            KeyValue::new("gen_ai.operation.name", operation),
            KeyValue::new("gen_ai.request.model", line.model.clone()),
            KeyValue::new("url.path", line.path.clone()),
            KeyValue::new("windlass.format", line.format.clone()),
        ]);
        let parent = parent.and_then(read_parent);
        let context =
            parent.map(|parent| Context::new().with_remote_span_context(parent)).unwrap_or_default();
        let span = Mutex::new(self.tracer.build_with_context(builder, &context));
        Box::new(GatewaySpan {
            tracer: self.tracer.clone(),
            vendors: self.vendors.clone(),
            span,
            stays: Arc::default(),
        })
    }
}

impl RequestSpan for GatewaySpan {
    fn trace_parent(&self) -> Option<String> {
        write_parent(&self.span)
    }

    fn begin_attempt(&self, attempt: &Attempt) -> Option<Box<dyn AttemptSpan>> {
        let parent = self.span.lock().unwrap_or_else(PoisonError::into_inner).span_context().clone();
        let provider = self.vendors.otel_name(&attempt.upstream).to_owned();
        let name = format!("attempt {}", attempt.upstream);
        let builder = self.tracer.span_builder(name).with_kind(SpanKind::Client).with_attributes([
            KeyValue::new("gen_ai.provider.name", provider.clone()),
            KeyValue::new("gen_ai.request.model", attempt.model.clone()),
            KeyValue::new("windlass.upstream", attempt.upstream.clone()),
            KeyValue::new("windlass.attempt", i64::try_from(attempt.number).unwrap_or(i64::MAX)),
        ]);
        let context = Context::new().with_remote_span_context(parent);
        let span = self.tracer.build_with_context(builder, &context);
        let stay = Stay::begin(&attempt.upstream, provider, span.span_context().clone());
        self.stays.lock().unwrap_or_else(PoisonError::into_inner).push(stay);
        Some(Box::new(UpstreamSpan { span: Mutex::new(span), stays: Arc::clone(&self.stays) }))
    }

    fn end(self: Box<Self>, line: &RequestLine) {
        let mut span = self.span.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut stays = self.stays.lock().unwrap_or_else(PoisonError::into_inner);
        let provider = self.vendors.otel_name(&line.upstream);
        if stays.is_empty() {
            stays.push(Stay::from_request_line(line, provider.to_owned(), span.span_context().clone()));
        }
        record_sends(&self.tracer, line, &stays);
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        span.set_attribute(KeyValue::new("http.response.status_code", i64::from(line.status)));
        if !line.upstream.is_empty() {
            span.set_attribute(KeyValue::new("gen_ai.provider.name", provider.to_owned()));
            span.set_attribute(KeyValue::new("windlass.upstream", line.upstream.clone()));
        }
        if !line.client.is_empty() {
            span.set_attribute(KeyValue::new("windlass.client", line.client.clone()));
        }
        let counts = [
            ("gen_ai.usage.input_tokens", line.input_tokens),
            ("gen_ai.usage.output_tokens", line.output_tokens),
        ];
        for (name, count) in counts {
            if let Some(count) = count {
                span.set_attribute(KeyValue::new(name, number(count)));
            }
        }
        if let Some(first) = line.first_byte_ms {
            let seconds = Duration::from_millis(first).as_secs_f64();
            span.set_attribute(KeyValue::new("gen_ai.response.time_to_first_chunk", seconds));
        }
        fail(&mut span, line.status, line.is_complete);
        span.end();
    }
}

impl AttemptSpan for UpstreamSpan {
    fn trace_parent(&self) -> Option<String> {
        write_parent(&self.span)
    }

    fn end(self: Box<Self>, attempt: &Attempt) {
        let mut span = self.span.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut stays = self.stays.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stay) = stays.iter_mut().find(|stay| stay.is_of(span.span_context())) {
            stay.end(attempt.status);
        }
        drop(stays);
        span.set_attribute(KeyValue::new("http.response.status_code", i64::from(attempt.status)));
        if let Some(reason) = attempt.fallback {
            span.set_attribute(KeyValue::new("windlass.fallback", reason.as_str()));
        }
        fail(&mut span, attempt.status, attempt.is_complete);
        span.end();
    }
}

/// Marks the span of an answer that failed or was cut.
fn fail(span: &mut Span, status: u16, is_complete: bool) {
    let failure = match status {
        status @ 400.. => status.to_string(),
        _ if !is_complete => "cut".to_owned(),
        _ => return,
    };
    span.set_status(Status::error(failure.clone()));
    span.set_attribute(KeyValue::new("error.type", failure));
}

/// Writes the header `traceparent` of a span.
fn write_parent(span: &Mutex<Span>) -> Option<String> {
    let span = span.lock().unwrap_or_else(PoisonError::into_inner);
    let context = span.span_context();
    let flags = context.trace_flags().to_u8();
    context.is_valid().then(|| format!("00-{}-{}-{flags:02x}", context.trace_id(), context.span_id()))
}

/// Reads a header `traceparent` of version 00.
fn read_parent(text: &str) -> Option<SpanContext> {
    let parts: Vec<&str> = text.trim().split('-').collect();
    let ["00", trace, span, flags] = parts[..] else { return None };
    let is_hex =
        |text: &str, length| text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hex(trace, 32) || !is_hex(span, 16) || !is_hex(flags, 2) {
        return None;
    }
    let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?);
    let (trace, span) = (TraceId::from_hex(trace).ok()?, SpanId::from_hex(span).ok()?);
    let context = SpanContext::new(trace, span, flags, true, TraceState::default());
    context.is_valid().then_some(context)
}
