//! Response bodies: decoded from a stream with an idle and a total timer, or read whole.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use tokio::time::{Instant, timeout_at};
use windlass_stream::{Chunk, ChunkStream, ModelError, ModelErrorKind};
use windlass_wire::{Decoder, Wire};

use crate::Options;
use crate::failure::Failures;
use crate::retry::after;
use crate::secret::Key;
use crate::transport::{ByteStream, Incoming};

/// Wait after the finish chunk for trailing usage. Bounded, because the connection may stay open.
const AFTER_END: Duration = Duration::from_secs(5);

/// Maximum number of bytes read from the body of a refusal.
const REFUSAL_BYTES: usize = 1 << 20;

/// Everything needed to decode one response.
pub(crate) struct Reading {
    pub(crate) wire: Arc<dyn Wire>,
    pub(crate) failures: Failures,
    pub(crate) options: Options,
    pub(crate) request_id: Option<String>,
    /// End of the total timer, which also covers the earlier attempts of this request.
    pub(crate) deadline: Instant,
}

/// State of a streamed answer.
struct Stream {
    reading: Reading,
    body: ByteStream,
    decoder: Box<dyn Decoder>,
    waiting: Vec<Result<Chunk, ModelError>>,
    /// Time spent waiting since the last content chunk. Pings and usage chunks do not reset it; time in which
    /// the consumer does not poll does not count.
    quiet: Duration,
    /// True after the provider has sent its finish chunk.
    has_finished: bool,
    is_over: bool,
    has_bytes: bool,
}

impl Reading {
    /// Decodes a streamed answer into chunks.
    pub(crate) fn stream(self, response: Incoming) -> ChunkStream {
        let stream = Stream {
            decoder: self.wire.decoder(self.options.limits),
            quiet: Duration::ZERO,
            has_finished: false,
            waiting: Vec::new(),
            is_over: false,
            has_bytes: false,
            body: response.body,
            reading: self,
        };
        // Yields all chunks of one network read before the connection is polled again.
        let pieces = stream::unfold(stream, |mut stream| async move {
            let piece = stream.next().await?;
            Some((stream::iter(piece), stream))
        });
        Box::pin(pieces.flatten())
    }

    /// Decodes an answer that arrives as one body.
    pub(crate) async fn whole(self, response: Incoming) -> Result<ChunkStream, ModelError> {
        let body =
            self.body(response.body).await.map_err(|error| error.with_request_id(self.request_id.clone()))?;
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
        // RULES S12: a refusal under a success status becomes an error before any chunk is handed out.
        if let [Chunk::Error { .. }] = chunks.as_slice() {
            let error = self.wire.decode_error(200, &self.failures.key.redact_bytes(body));
            return Err(self.failures.refused_in_answer(error).with_request_id(self.request_id));
        }
        let key = self.failures.key;
        Ok(Box::pin(stream::iter(chunks.into_iter().map(move |chunk| Ok(without_key(&key, chunk))))))
    }

    /// Reads a whole body, within the byte limit and the deadline.
    pub(crate) async fn body(&self, mut stream: ByteStream) -> Result<Vec<u8>, ModelError> {
        let (failures, options) = (&self.failures, &self.options);
        let limit = options.limits.body_bytes;
        let mut body = Vec::new();
        loop {
            let read = timeout_at(self.deadline, stream.next())
                .await
                .map_err(|_| total(failures, options.total_timeout))?
                .transpose()
                .map_err(|error| failures.transport(&error))?;
            let Some(bytes) = read else { return Ok(body) };
            if body.len().saturating_add(bytes.len()) > limit {
                let text = format!("the answer has more than {limit} bytes");
                return Err(failures.of(ModelErrorKind::Malformed, &text));
            }
            body.extend_from_slice(&bytes);
        }
    }
}

impl Stream {
    /// Waits for the next bytes that decode to at least one chunk and returns those chunks.
    async fn next(&mut self) -> Option<Vec<Result<Chunk, ModelError>>> {
        loop {
            if !self.waiting.is_empty() {
                if self.waiting.iter().any(|chunk| !matches!(chunk, Ok(Chunk::Usage { .. }))) {
                    self.quiet = Duration::ZERO;
                }
                return Some(std::mem::take(&mut self.waiting));
            }
            if self.is_over {
                return None;
            }
            match self.read().await {
                Ok(Some(bytes)) => self.take(&bytes),
                Ok(None) => self.end(),
                // The answer is already complete, so a broken connection at its end does not matter.
                Err(_) if self.has_finished => self.end(),
                Err(error) => self.fail(error),
            }
        }
    }

    /// Reads the next bytes, or fails when the idle or the total timer expires.
    async fn read(&mut self) -> Result<Option<Bytes>, ModelError> {
        let (failures, options) = (&self.reading.failures, &self.reading.options);
        let patience = if self.has_finished { AFTER_END } else { Duration::MAX };
        let begin = Instant::now();
        // Pings alone do not keep an answer alive (SECURITY, provider side).
        let left = options.idle_timeout.min(patience).saturating_sub(self.quiet);
        let idle_at = after(begin, left);
        let deadline = self.reading.deadline;
        let read = timeout_at(idle_at.min(deadline), self.body.next()).await;
        let only_noise_came = !self.quiet.is_zero();
        self.quiet = self.quiet.saturating_add(begin.elapsed());
        match read {
            Ok(read) => read.transpose().map_err(|error| failures.transport(&error)),
            Err(_) if idle_at <= deadline && only_noise_came => {
                Err(idle_but_alive(failures, options.idle_timeout))
            }
            Err(_) if idle_at <= deadline => Err(idle(failures, options.idle_timeout)),
            Err(_) => Err(total(failures, options.total_timeout)),
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.has_bytes |= !bytes.is_empty();
        let mut chunks = Vec::new();
        let end = self.decoder.push(bytes, &mut chunks);
        self.hand_out(chunks);
        if let Err(error) = end {
            self.fail(self.reading.failures.broken_stream(&error));
        }
    }

    fn hand_out(&mut self, chunks: Vec<Chunk>) {
        for chunk in chunks {
            self.has_finished |= matches!(chunk, Chunk::Finish { .. });
            self.waiting.push(Ok(without_key(&self.reading.failures.key, chunk)));
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
        self.hand_out(chunks);
        if let Err(error) = end {
            self.fail(self.reading.failures.broken_stream(&error));
        }
    }

    fn fail(&mut self, error: ModelError) {
        self.is_over = true;
        self.waiting.push(Err(error.with_request_id(self.reading.request_id.clone())));
    }
}

/// Removes the key from error chunks: a server can repeat the key that it received.
fn without_key(key: &Key, chunk: Chunk) -> Chunk {
    match chunk {
        Chunk::Error { mut error } => {
            error.message = key.redact(&error.message);
            error.code = error.code.map(|code| key.redact(&code));
            Chunk::Error { error }
        }
        other => other,
    }
}

/// Reads the body of a refusal until `until`. Returns the bytes read so far on a timeout or a broken
/// connection, because the status alone is enough to report the refusal.
pub(crate) async fn refusal_body(mut stream: ByteStream, until: Instant) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(Ok(bytes))) = timeout_at(until, stream.next()).await {
        let room = REFUSAL_BYTES.saturating_sub(body.len());
        body.extend(bytes.iter().take(room));
        if room < bytes.len() {
            break;
        }
    }
    body
}

pub(crate) fn idle(failures: &Failures, waited: Duration) -> ModelError {
    let text = format!("nothing new came for {waited:?} (the idle timeout)");
    failures.of(ModelErrorKind::Idle, &text)
}

fn idle_but_alive(failures: &Failures, waited: Duration) -> ModelError {
    let text = format!("nothing but signs of life came for {waited:?} (the idle timeout)");
    failures.of(ModelErrorKind::Idle, &text)
}

pub(crate) fn total(failures: &Failures, waited: Duration) -> ModelError {
    let text = format!("the answer took longer than {waited:?} (the total timeout)");
    failures.of(ModelErrorKind::Idle, &text)
}
