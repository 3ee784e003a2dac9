//! Reading an answer: as a stream with its two timers, or as a whole body.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use reqwest::Response;
use tokio::time::{Instant, timeout, timeout_at};
use windlass_model::{ChunkStream, ModelError, ModelErrorKind};
use windlass_stream::Chunk;
use windlass_wire::{Decoder, Wire};

use crate::Options;
use crate::failure::Failures;

/// How an answer is read.
pub(crate) struct Reading {
    pub(crate) wire: Arc<dyn Wire>,
    pub(crate) failures: Failures,
    pub(crate) options: Options,
    pub(crate) request_id: Option<String>,
}

/// An answer that streams.
struct Stream {
    reading: Reading,
    response: Response,
    decoder: Box<dyn Decoder>,
    waiting: VecDeque<Result<Chunk, ModelError>>,
    /// When the answer has taken too long in all.
    deadline: Instant,
    /// When something new came last. Pings are nothing new.
    last_content: Instant,
    is_over: bool,
    has_bytes: bool,
}

impl Reading {
    /// The chunks of a streamed answer.
    pub(crate) fn stream(self, response: Response) -> ChunkStream {
        let now = Instant::now();
        let stream = Stream {
            decoder: self.wire.decoder(self.options.limits),
            deadline: now + self.options.total_timeout,
            last_content: now,
            waiting: VecDeque::new(),
            is_over: false,
            has_bytes: false,
            response,
            reading: self,
        };
        Box::pin(stream::unfold(stream, |mut stream| async move {
            let chunk = stream.next().await?;
            Some((chunk, stream))
        }))
    }

    /// The chunks of an answer that came in one body.
    pub(crate) async fn whole(self, response: Response) -> Result<ChunkStream, ModelError> {
        let body = body(response, &self.failures, &self.options).await?;
        let mut chunks = Vec::new();
        self.wire.decode_whole(&body, self.options.limits, &mut chunks).map_err(|error| {
            if body.iter().all(u8::is_ascii_whitespace) {
                return self
                    .failures
                    .of(ModelErrorKind::Dropped, "the answer was empty")
                    .with_request_id(self.request_id.clone());
            }
            self.failures.malformed(&error).with_request_id(self.request_id.clone())
        })?;
        Ok(Box::pin(stream::iter(chunks.into_iter().map(Ok))))
    }
}

impl Stream {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        loop {
            if let Some(chunk) = self.waiting.pop_front() {
                return Some(chunk);
            }
            if self.is_over {
                return None;
            }
            match self.read().await {
                Ok(Some(bytes)) => self.take(&bytes),
                Ok(None) => self.end(),
                Err(error) => self.fail(error),
            }
        }
    }

    /// The next bytes, unless a timer runs out first.
    async fn read(&mut self) -> Result<Option<Bytes>, ModelError> {
        let (failures, options) = (&self.reading.failures, &self.reading.options);
        let idle_at = self.last_content + options.idle_timeout;
        match timeout_at(idle_at.min(self.deadline), self.response.chunk()).await {
            Ok(read) => read.map_err(|error| failures.transport(&error)),
            Err(_) if idle_at <= self.deadline => Err(idle(failures, options.idle_timeout)),
            Err(_) => Err(total(failures, options.total_timeout)),
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.has_bytes = true;
        let mut chunks = Vec::new();
        let end = self.decoder.push(bytes, &mut chunks);
        if !chunks.is_empty() {
            self.last_content = Instant::now();
        }
        self.waiting.extend(chunks.into_iter().map(Ok));
        if let Err(error) = end {
            self.fail(self.reading.failures.malformed(&error));
        }
    }

    fn end(&mut self) {
        self.is_over = true;
        if !self.has_bytes {
            let text = "the answer was empty: a status of success and not one byte";
            return self.fail(self.reading.failures.of(ModelErrorKind::Dropped, text));
        }
        let mut chunks = Vec::new();
        let end = self.decoder.finish(&mut chunks);
        self.waiting.extend(chunks.into_iter().map(Ok));
        if let Err(error) = end {
            self.fail(self.reading.failures.malformed(&error));
        }
    }

    fn fail(&mut self, error: ModelError) {
        self.is_over = true;
        self.waiting.push_back(Err(error.with_request_id(self.reading.request_id.clone())));
    }
}

/// A whole body, within the limit and the time.
pub(crate) async fn body(
    mut response: Response,
    failures: &Failures,
    options: &Options,
) -> Result<Vec<u8>, ModelError> {
    let limit = options.limits.body_bytes;
    let reading = async {
        let mut body = Vec::new();
        while let Some(bytes) = response.chunk().await.map_err(|error| failures.transport(&error))? {
            if body.len().saturating_add(bytes.len()) > limit {
                let text = format!("the answer has more than {limit} bytes");
                return Err(failures.of(ModelErrorKind::Malformed, &text));
            }
            body.extend_from_slice(&bytes);
        }
        Ok(body)
    };
    timeout(options.total_timeout, reading).await.map_err(|_| total(failures, options.total_timeout))?
}

pub(crate) fn idle(failures: &Failures, waited: Duration) -> ModelError {
    let text = format!("nothing new came for {waited:?} (the idle timeout)");
    failures.of(ModelErrorKind::Idle, &text)
}

fn total(failures: &Failures, waited: Duration) -> ModelError {
    let text = format!("the answer took longer than {waited:?} (the total timeout)");
    failures.of(ModelErrorKind::Idle, &text)
}
