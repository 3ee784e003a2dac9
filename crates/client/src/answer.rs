//! Reading an answer: as a stream with its two timers, or as a whole body.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use tokio::time::{Instant, timeout_at};
use windlass_model::{ChunkStream, ModelError, ModelErrorKind};
use windlass_stream::Chunk;
use windlass_wire::{Decoder, Wire};

use crate::Options;
use crate::failure::Failures;
use crate::retry::after;
use crate::secret::Key;
use crate::transport::{ByteStream, Incoming};

/// How long an answer that has said its end is waited for: usage may follow, an open connection may stay.
const AFTER_END: Duration = Duration::from_secs(5);

/// How much of a refusal is read.
const REFUSAL_BYTES: usize = 1 << 20;

/// How an answer is read.
pub(crate) struct Reading {
    pub(crate) wire: Arc<dyn Wire>,
    pub(crate) failures: Failures,
    pub(crate) options: Options,
    pub(crate) request_id: Option<String>,
    /// When the answer has taken too long in all, the attempts before it included.
    pub(crate) deadline: Instant,
}

/// An answer that streams.
struct Stream {
    reading: Reading,
    body: ByteStream,
    decoder: Box<dyn Decoder>,
    waiting: Vec<Result<Chunk, ModelError>>,
    /// How long something new was waited for. Pings and counts of tokens are nothing new, and a reader's pause is no
    /// wait.
    quiet: Duration,
    /// Whether the provider has said that the answer is over.
    has_finished: bool,
    is_over: bool,
    has_bytes: bool,
}

impl Reading {
    /// The chunks of a streamed answer.
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
        // What came in one piece is handed out without looking at the connection in between.
        let pieces = stream::unfold(stream, |mut stream| async move {
            let piece = stream.next().await?;
            Some((stream::iter(piece), stream))
        });
        Box::pin(pieces.flatten())
    }

    /// The chunks of an answer that came in one body.
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
        // A refusal under a status of success (RULES S12): said as what it is before anything is handed out.
        if let [Chunk::Error { .. }] = chunks.as_slice() {
            let error = self.wire.decode_error(200, &self.failures.key.redact_bytes(body));
            return Err(self.failures.refused_in_answer(error).with_request_id(self.request_id));
        }
        let key = self.failures.key;
        Ok(Box::pin(stream::iter(chunks.into_iter().map(move |chunk| Ok(without_key(&key, chunk))))))
    }

    /// A whole body, within the limit and the time.
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
    /// The chunks of the next piece that has any.
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
                // The answer was whole already; how the connection ends says nothing more.
                Err(_) if self.has_finished => self.end(),
                Err(error) => self.fail(error),
            }
        }
    }

    /// The next bytes, unless a timer runs out first.
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

/// What a server says of a failure can hold the key that it was sent.
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

/// The body of a refusal, as far as it comes in time: its status counts even if its words do not arrive.
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
