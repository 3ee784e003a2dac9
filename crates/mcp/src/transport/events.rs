//! Server-sent events of an HTTP response, checked one by one before the engine reads them.

use std::collections::VecDeque;
use std::pin::Pin;

use bytes::Bytes;
use futures_core::Stream;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt as _, stream};
use reqwest::Response;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;
use windlass_sse::{Parser, SseLimits};

use super::intake::{Intake, PassedMessage};
use crate::failure::Failure;

/// Maximum number of bytes read to find a stream's first event.
const FIRST_BYTES: usize = 16 * 1024;

type Body = Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>;

struct EventReader {
    body: Body,
    parser: Parser,
    intake: Intake,
    request: Option<u64>,
    ready: VecDeque<Sse>,
    last_id: String,
    retry: Option<u64>,
    is_over: bool,
}

/// Returns the events of a response. An event over `frame_bytes` ends the stream and fails the request of
/// this id.
pub(crate) fn read(
    response: Response,
    intake: Intake,
    frame_bytes: usize,
    request: Option<u64>,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let limits = SseLimits::default().with_line_bytes(frame_bytes).with_event_bytes(frame_bytes);
    let reading = EventReader {
        body: Box::pin(response.bytes_stream()),
        parser: Parser::with_limits(limits),
        intake,
        request,
        ready: VecDeque::new(),
        last_id: String::new(),
        retry: None,
        is_over: false,
    };
    stream::unfold(reading, |mut reading| async move {
        let event = reading.next().await?;
        Some((event, reading))
    })
    .boxed()
}

/// Returns the name of a response's first event, or `None` if it does not start within 16 KiB.
pub(crate) async fn first_name(mut response: Response) -> Option<String> {
    let mut parser = Parser::new();
    let mut name = None;
    let mut read = 0_usize;
    while name.is_none() && read < FIRST_BYTES {
        let chunk = response.chunk().await.ok()??;
        read = read.saturating_add(chunk.len());
        parser.push(&chunk, |event| name = name.take().or_else(|| Some(event.event.to_owned()))).ok()?;
    }
    name
}

impl EventReader {
    async fn next(&mut self) -> Option<Result<Sse, SseError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if self.is_over {
                return None;
            }
            match self.body.next().await {
                Some(Ok(chunk)) => self.push(&chunk),
                Some(Err(error)) => {
                    self.is_over = true;
                    return Some(Err(SseError::Body(Box::new(error.without_url()))));
                }
                None => self.is_over = true,
            }
        }
    }

    fn push(&mut self, chunk: &[u8]) {
        let (ready, intake, last_id) = (&mut self.ready, &self.intake, &mut self.last_id);
        let pushed = self.parser.push(chunk, |event| {
            let name = (!event.event.is_empty()).then(|| event.event.to_owned());
            let is_message = matches!(event.event, "" | "message");
            let data = if is_message { check_event(intake, event.data) } else { None };
            let id = (event.id != last_id.as_str()).then(|| event.id.to_owned());
            if id.is_some() {
                event.id.clone_into(last_id);
            }
            ready.push_back(Sse { event: name, data, id, retry: None });
        });
        self.mark();
        if pushed.is_err() {
            self.is_over = true;
            self.intake.0.lock_skip_counts().too_long += 1;
            self.intake.0.fail(self.request, Failure::TooLong { read: None });
        }
    }

    /// Emits an event without data if the parser's last event id or retry time changed without an event, so
    /// that the engine resumes at the right place.
    fn mark(&mut self) {
        let (id, retry) = (self.parser.last_event_id(), self.parser.retry());
        if id == self.last_id && retry == self.retry {
            return;
        }
        let changed = (id != self.last_id).then(|| id.to_owned());
        self.ready.push_back(Sse { event: None, data: None, id: changed, retry });
        id.clone_into(&mut self.last_id);
        self.retry = retry;
    }
}

/// Checks an event's data, and returns the message for the engine.
fn check_event(intake: &Intake, data: &str) -> Option<String> {
    // An event without data only updates the last event id.
    if data.trim().is_empty() {
        return None;
    }
    match intake.check(data.trim().as_bytes())? {
        PassedMessage::Engine(message) => serde_json::to_string(&message).ok(),
        PassedMessage::Refuse(_) => None,
    }
}
