//! The measurement of one answer, from the request to the last byte.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::Stream;
use windlass_protocol::Usage;

use super::accounts::{Amount, Reservation};
use super::budget::ExpectedTokens;
use super::cache::CacheResult;
use super::front_records::FrontRecords;
use super::keys;
use super::log::{CLOSED_BY_CLIENT, RequestLine, RequestLog};
use super::places::Place;
use super::tracer::{RequestSpan, Tracer};
use crate::recorder::{Record, Recorder};
use crate::{ClientRequest, GatewayResponse, ResponseBody};

/// The length from which a text in the place of a key is taken for one.
const SHORTEST_KEY: usize = 6;

/// The measurement of a request whose answer has not begun. Dropping it records a request that was given up.
pub(super) struct Measurement {
    shared: Arc<FrontRecords>,
    recorder: Arc<Recorder>,
    hold: Option<Hold>,
    log: Option<Arc<dyn RequestLog>>,
    span: Option<Box<dyn RequestSpan>>,
    start: Instant,
    line: RequestLine,
}

/// The receivers of a measurement.
pub(super) struct Receivers<'a> {
    pub(super) shared: Arc<FrontRecords>,
    pub(super) recorder: Arc<Recorder>,
    pub(super) log: Option<Arc<dyn RequestLog>>,
    pub(super) tracer: &'a Tracer,
}

/// The names of a request in measurements. A name is empty if it is not known.
pub(super) struct RequestNames<'a> {
    pub(super) client: &'a str,
    pub(super) format: &'a str,
    pub(super) model: &'a str,
}

/// The reservation of a request, and the expected tokens from which it was computed.
#[derive(Debug)]
pub(super) struct Hold {
    pub(super) reservation: Reservation,
    pub(super) expected: ExpectedTokens,
    /// True if the answer is one body.
    pub(super) is_whole: bool,
    /// True if the provider continues the answer after its response has ended.
    pub(super) is_background: bool,
}

impl Measurement {
    pub(super) fn start(receivers: Receivers<'_>, request: &ClientRequest, names: &RequestNames<'_>) -> Self {
        let Receivers { shared, recorder, log, tracer } = receivers;
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let line = RequestLine {
            time_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            client: names.client.to_owned(),
            format: names.format.to_owned(),
            path: hide_keys(request, request.route()),
            model: hide_keys(request, names.model),
            status: CLOSED_BY_CLIENT,
            wait_ms: None,
            first_byte_ms: None,
            total_ms: 0,
            bytes: 0,
            upstream: String::new(),
            input_tokens: None,
            output_tokens: None,
            cost_millionths: None,
            repeats: Vec::new(),
            cache: None,
            is_complete: false,
        };
        shared.metrics.begin();
        let span = tracer.begin(&line, request);
        Self { shared, recorder, hold: None, log, span, start: Instant::now(), line }
    }

    /// Settles a reservation when the answer has ended.
    pub(super) fn hold(&mut self, hold: Option<Hold>) {
        self.hold = hold;
    }

    /// Returns the span of the request.
    pub(super) fn span(&self) -> Option<&dyn RequestSpan> {
        self.span.as_deref()
    }

    /// Records the part of the cache in the answer.
    pub(super) fn count_cache(&mut self, result: CacheResult) {
        self.line.cache = Some(result);
    }

    /// Measures the body of an answer. The place of the request is held until the body has ended or is dropped.
    pub(super) fn measure(mut self, mut answer: GatewayResponse, place: Option<Place>) -> GatewayResponse {
        self.line.status = answer.status;
        let body = std::mem::replace(&mut answer.body, Box::pin(futures_util::stream::empty()));
        answer.body = Box::pin(MeasuredBody { body, measurement: self, _place: place });
        answer
    }

    fn age_ms(&self, moment: Instant) -> u64 {
        u64::try_from(moment.saturating_duration_since(self.start).as_millis()).unwrap_or(u64::MAX)
    }
}

impl Drop for Measurement {
    fn drop(&mut self) {
        self.line.total_ms = self.age_ms(Instant::now());
        let record = self.recorder.read();
        self.line.wait_ms = record.sent_at.map(|moment| self.age_ms(moment));
        let cost = record.usage.and_then(|usage| Some(record.prices?.cost(&usage)));
        self.line.input_tokens = record.usage.map(|usage| usage.input_tokens);
        self.line.output_tokens = record.usage.map(|usage| usage.output_tokens);
        self.line.cost_millionths = cost;
        if let Some(hold) = &self.hold {
            let used = hold.measure_use(&record, &self.line);
            self.shared.accounts.settle(&hold.reservation, used);
        }
        self.line.upstream = record.upstream;
        self.line.repeats = record.repeats;
        self.shared.metrics.end(&self.line, record.usage.as_ref());
        if let Some(log) = &self.log {
            log.log(&self.line);
        }
        if let Some(span) = self.span.take() {
            span.end(&self.line);
        }
    }
}

impl Hold {
    /// Returns the amount that an answer used: the provider's count, or an estimate for an answer that the client or
    /// the upstream cut before its count. A client that closes the connection early saves nothing by it.
    fn measure_use(&self, record: &Record, line: &RequestLine) -> Amount {
        let is_refused = line.status >= 400 && line.status != CLOSED_BY_CLIENT;
        if record.upstream.is_empty() || is_refused {
            return Amount::default();
        }
        if self.is_background {
            // The client reads the rest by another request, which has no count for its budget.
            return self.reservation.amount;
        }
        let count = record.usage.filter(|_| self.is_whole || line.is_complete);
        let is_unknown = record.usage.is_none() && !line.is_complete;
        if is_unknown && (self.is_whole || line.status == CLOSED_BY_CLIENT) {
            return self.reservation.amount;
        }
        let usage = count.unwrap_or_else(|| {
            let cut = record.usage.unwrap_or(Usage { input_tokens: self.expected.input, ..Usage::default() });
            Usage { output_tokens: cut.output_tokens.max(record.output_estimate), ..cut }
        });
        Amount { tokens: usage.total(), cost: record.prices.map_or(0, |prices| prices.cost(&usage)) }
    }
}

/// Removes the client's own key from a text that the client chose: measurements and the log must not contain it.
fn hide_keys(request: &ClientRequest, text: &str) -> String {
    let keys = keys::find_candidates(request).filter(|key| key.len() >= SHORTEST_KEY);
    keys.fold(text.to_owned(), |text, key| text.replace(key, "[redacted]"))
}

struct MeasuredBody {
    // Dropped first: the end of a body completes the record.
    body: ResponseBody,
    measurement: Measurement,
    _place: Option<Place>,
}

impl Stream for MeasuredBody {
    type Item = std::io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = std::task::ready!(self.body.as_mut().poll_next(cx));
        // The clock is read for the first piece only.
        if matches!(next, Some(Ok(_))) && self.measurement.line.first_byte_ms.is_none() {
            self.measurement.line.first_byte_ms = Some(self.measurement.age_ms(Instant::now()));
        }
        let line = &mut self.measurement.line;
        match &next {
            Some(Ok(bytes)) => {
                line.bytes = line.bytes.saturating_add(bytes.len() as u64);
            }
            Some(Err(_)) => line.is_complete = false,
            None => line.is_complete = true,
        }
        Poll::Ready(next)
    }
}
