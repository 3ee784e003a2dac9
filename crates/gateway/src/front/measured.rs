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
use super::front_records::FrontRecords;
use super::log::{RequestLine, RequestLog};
use super::places::Place;
use crate::recorder::{Record, Recorder};
use crate::{ClientRequest, GatewayResponse, ResponseBody};

/// The status that servers log for a client that closed the connection before the answer.
const CLOSED_BY_CLIENT: u16 = 499;

/// The measurement of a request whose answer has not begun. Dropping it records a request that was given up.
pub(super) struct Measurement {
    shared: Arc<FrontRecords>,
    recorder: Arc<Recorder>,
    hold: Option<Hold>,
    log: Option<Arc<dyn RequestLog>>,
    start: Instant,
    line: RequestLine,
}

/// The reservation of a request, and the expected tokens behind it.
#[derive(Debug)]
pub(super) struct Hold {
    pub(super) reservation: Reservation,
    pub(super) expected: ExpectedTokens,
    /// True if the answer is one body.
    pub(super) is_whole: bool,
}

impl Measurement {
    pub(super) fn start(
        shared: Arc<FrontRecords>,
        log: Option<Arc<dyn RequestLog>>,
        request: &ClientRequest,
        (client, format, model): (&str, &str, &str),
    ) -> Self {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let line = RequestLine {
            time_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            client: client.to_owned(),
            format: format.to_owned(),
            path: request.route().to_owned(),
            model: model.to_owned(),
            status: CLOSED_BY_CLIENT,
            first_byte_ms: None,
            total_ms: 0,
            bytes: 0,
            upstream: String::new(),
            input_tokens: None,
            output_tokens: None,
            cost_millionths: None,
            is_complete: false,
        };
        shared.metrics.begin();
        Self { shared, recorder: Arc::default(), hold: None, log, start: Instant::now(), line }
    }

    /// Returns the record that a gateway fills.
    pub(super) fn recorder(&self) -> Arc<Recorder> {
        Arc::clone(&self.recorder)
    }

    /// Settles a reservation when the answer has ended.
    pub(super) fn hold(&mut self, hold: Hold) {
        self.hold = Some(hold);
    }

    /// Measures the body of an answer. The place of the request is held until the body has ended or is dropped.
    pub(super) fn measure(mut self, mut answer: GatewayResponse, place: Option<Place>) -> GatewayResponse {
        self.line.status = answer.status;
        let body = std::mem::replace(&mut answer.body, Box::pin(futures_util::stream::empty()));
        answer.body = Box::pin(MeasuredBody { body, measurement: self, _place: place });
        answer
    }

    fn age_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl Drop for Measurement {
    fn drop(&mut self) {
        self.line.total_ms = self.age_ms();
        let record = self.recorder.read();
        let cost = record.usage.and_then(|usage| Some(record.prices?.cost(&usage)));
        self.line.input_tokens = record.usage.map(|usage| usage.input_tokens);
        self.line.output_tokens = record.usage.map(|usage| usage.output_tokens);
        self.line.cost_millionths = cost;
        if let Some(hold) = &self.hold {
            let used = hold.used(&record, &self.line);
            self.shared.accounts.settle(&hold.reservation, used);
        }
        self.line.upstream.clone_from(&record.upstream);
        self.shared.metrics.end(&self.line, record.usage.as_ref());
        if let Some(log) = &self.log {
            log.log(&self.line);
        }
    }
}

impl Hold {
    /// Returns the amount that an answer used: the provider's count, or an estimate for an answer that the client or
    /// the upstream cut before its count. A client that closes the connection early saves nothing by it.
    fn used(&self, record: &Record, line: &RequestLine) -> Amount {
        let is_refused = line.status >= 400 && line.status != CLOSED_BY_CLIENT;
        if record.upstream.is_empty() || is_refused {
            return Amount::default();
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
        let elapsed = self.measurement.age_ms();
        let line = &mut self.measurement.line;
        match &next {
            Some(Ok(bytes)) => {
                line.first_byte_ms.get_or_insert(elapsed);
                line.bytes = line.bytes.saturating_add(bytes.len() as u64);
            }
            Some(Err(_)) => line.is_complete = false,
            None => line.is_complete = true,
        }
        Poll::Ready(next)
    }
}
