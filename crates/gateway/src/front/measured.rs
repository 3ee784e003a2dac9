//! The measurement of one answer, from the request to the last byte.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::Stream;
use tokio::sync::OwnedSemaphorePermit;

use super::log::{RequestLine, RequestLog};
use super::metrics::Metrics;
use crate::{ClientRequest, GatewayResponse, ResponseBody};

/// The measurement of a request whose answer has not begun. Dropping it records a request that was given up.
pub(super) struct Measurement {
    metrics: Arc<Metrics>,
    log: Option<Arc<dyn RequestLog>>,
    start: Instant,
    line: RequestLine,
}

impl Measurement {
    pub(super) fn start(
        metrics: Arc<Metrics>,
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
            // The status that servers log for a client that closed the connection before the answer.
            status: 499,
            first_byte_ms: None,
            total_ms: 0,
            bytes: 0,
            is_complete: false,
        };
        metrics.begin();
        Self { metrics, log, start: Instant::now(), line }
    }

    /// Measures the body of an answer. The place of the request is held until the body has ended or is dropped.
    pub(super) fn measure(
        mut self,
        mut answer: GatewayResponse,
        place: Option<OwnedSemaphorePermit>,
    ) -> GatewayResponse {
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
        self.metrics.end(&self.line);
        if let Some(log) = &self.log {
            log.log(&self.line);
        }
    }
}

struct MeasuredBody {
    body: ResponseBody,
    measurement: Measurement,
    _place: Option<OwnedSemaphorePermit>,
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
