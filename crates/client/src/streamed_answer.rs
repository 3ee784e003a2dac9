//! Streamed answers: bytes to chunks, with an idle and a total timer.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{iter, unfold};
use tokio::time::Instant;
use windlass_stream::{Chunk, ChunkStream, ModelError, ModelErrorKind};
use windlass_wire::Decoder;

use crate::failure::Failures;
use crate::response::{ResponseDecoder, idle_timeout_error, redact_chunk, total_timeout_error};
use crate::retry::add_wait;
use crate::silence::LazyTimer;
use crate::transport::ByteStream;

/// Wait after the finish chunk for trailing usage. Bounded, because the connection may stay open.
const AFTER_END: Duration = Duration::from_secs(5);

/// An answer that is arriving: the bytes on the one side, decoded chunks on the other.
pub(crate) struct StreamedAnswer {
    response: ResponseDecoder,
    bytes: ByteStream,
    decoder: Box<dyn Decoder>,
    /// Decoded chunks that the consumer has not received yet.
    ready: Vec<Result<Chunk, ModelError>>,
    /// Time spent waiting since the last content chunk. Pings and usage chunks do not reset it; time in which
    /// the consumer does not poll does not count.
    quiet: Duration,
    /// True after the provider has sent its finish chunk.
    has_finished: bool,
    is_over: bool,
    has_bytes: bool,
    timer: LazyTimer,
}

impl StreamedAnswer {
    /// Returns the answer that these bytes contain.
    pub(crate) fn new(response: ResponseDecoder, bytes: ByteStream) -> Self {
        Self {
            decoder: response.wire.decoder(response.options.limits),
            response,
            bytes,
            ready: Vec::new(),
            quiet: Duration::ZERO,
            has_finished: false,
            is_over: false,
            has_bytes: false,
            timer: LazyTimer::default(),
        }
    }

    /// Returns the chunks as a stream. It yields all chunks of one network read before it polls the
    /// connection again.
    pub(crate) fn into_chunks(self) -> ChunkStream {
        let batches = unfold(self, |mut answer| async move {
            let batch = answer.next_batch().await?;
            Some((iter(batch), answer))
        });
        Box::pin(batches.flatten())
    }

    /// Waits for the next bytes that decode to at least one chunk and returns those chunks.
    async fn next_batch(&mut self) -> Option<Vec<Result<Chunk, ModelError>>> {
        loop {
            if !self.ready.is_empty() {
                if self.ready.iter().any(|chunk| !matches!(chunk, Ok(Chunk::Usage { .. }))) {
                    self.quiet = Duration::ZERO;
                }
                return Some(std::mem::take(&mut self.ready));
            }
            if self.is_over {
                return None;
            }
            match self.read_bytes().await {
                Ok(Some(bytes)) => self.decode(&bytes),
                Ok(None) => self.finish(),
                // The answer is already complete, so a broken connection at its end does not matter.
                Err(_) if self.has_finished => self.finish(),
                Err(error) => self.fail(error),
            }
        }
    }

    /// Reads the next bytes, or fails when the idle or the total timer expires.
    async fn read_bytes(&mut self) -> Result<Option<Bytes>, ModelError> {
        let (failures, options) = (&self.response.failures, &self.response.options);
        let patience = if self.has_finished { AFTER_END } else { Duration::MAX };
        let begin = Instant::now();
        // Pings alone do not keep an answer alive (SECURITY, provider side).
        let left = options.idle_timeout.min(patience).saturating_sub(self.quiet);
        let idle_at = add_wait(begin, left);
        let deadline = self.response.deadline;
        let (bytes, timer) = (&mut self.bytes, &mut self.timer);
        let read = poll_fn(|context| match bytes.poll_next_unpin(context) {
            Poll::Ready(read) => Poll::Ready(Ok(read)),
            Poll::Pending => timer.poll_until(idle_at.min(deadline), context).map(Err),
        });
        let read = read.await;
        let only_noise_came = !self.quiet.is_zero();
        self.quiet = self.quiet.saturating_add(begin.elapsed());
        match read {
            Ok(read) => read.transpose().map_err(|error| failures.transport(&error)),
            Err(()) if idle_at <= deadline && only_noise_came => {
                Err(only_pings_error(failures, options.idle_timeout))
            }
            Err(()) if idle_at <= deadline => Err(idle_timeout_error(failures, options.idle_timeout)),
            Err(()) => Err(total_timeout_error(failures, options.total_timeout)),
        }
    }

    fn decode(&mut self, bytes: &[u8]) {
        self.has_bytes |= !bytes.is_empty();
        let mut chunks = Vec::new();
        let end = self.decoder.push(bytes, &mut chunks);
        self.add_chunks(chunks);
        if let Err(error) = end {
            self.fail(self.response.failures.unreadable(&error));
        }
    }

    fn finish(&mut self) {
        self.is_over = true;
        if !self.has_bytes {
            let text = "the answer was empty: a success status without a body";
            return self.fail(self.response.failures.model_error(ModelErrorKind::Dropped, text));
        }
        let mut chunks = Vec::new();
        let end = self.decoder.finish(&mut chunks);
        self.add_chunks(chunks);
        if let Err(error) = end {
            self.fail(self.response.failures.unreadable(&error));
        }
    }

    fn add_chunks(&mut self, chunks: Vec<Chunk>) {
        for chunk in chunks {
            self.has_finished |= matches!(chunk, Chunk::Finish { .. });
            self.ready.push(Ok(redact_chunk(&self.response.failures.key, chunk)));
        }
    }

    fn fail(&mut self, error: ModelError) {
        self.is_over = true;
        self.ready.push(Err(self.response.add_request_id(error)));
    }
}

/// Returns the error of a provider that sends pings and usage counts but no content.
fn only_pings_error(failures: &Failures, waited: Duration) -> ModelError {
    let text = format!("only keep-alive data arrived for {waited:?} (the idle timeout)");
    failures.model_error(ModelErrorKind::Idle, &text)
}
