//! Response bodies that are read whole, within the limits and the deadline.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::iter;
use tokio::time::{Instant, timeout_at};
use windlass_stream::{Chunk, ChunkStream, ModelError, ModelErrorKind};
use windlass_wire::Wire;

use crate::Options;
use crate::failure::Failures;
use crate::secret::Key;
use crate::transport::ByteStream;

/// Maximum number of bytes read from the body of a refusal.
const REFUSAL_BYTES: usize = 1 << 20;

/// Decodes the body of one response: its wire format, limits and errors.
pub(crate) struct ResponseDecoder {
    pub(crate) wire: Arc<dyn Wire>,
    pub(crate) failures: Arc<Failures>,
    pub(crate) options: Options,
    pub(crate) request_id: Option<String>,
    /// End of the total timer, which also covers the earlier attempts of this request.
    pub(crate) deadline: Instant,
}

impl ResponseDecoder {
    /// Decodes an answer that arrives as one body.
    pub(crate) async fn decode_whole(self, bytes: ByteStream) -> Result<ChunkStream, ModelError> {
        let body = self.read_body(bytes).await.map_err(|error| self.add_request_id(error))?;
        let mut chunks = Vec::new();
        self.wire.decode_whole(&body, self.options.limits, &mut chunks).map_err(|error| {
            if body.iter().all(u8::is_ascii_whitespace) {
                return self.add_request_id(
                    self.failures.model_error(ModelErrorKind::Dropped, "the answer was empty"),
                );
            }
            self.add_request_id(self.failures.unreadable(&error))
        })?;
        // RULES S12: a refusal under a success status becomes an error before any chunk is handed out.
        if let [Chunk::Error { .. }] = chunks.as_slice() {
            let error = self.wire.decode_error(200, &self.failures.key.redact_bytes(body));
            return Err(self.add_request_id(self.failures.refusal_in_answer(error)));
        }
        let failures = self.failures;
        Ok(Box::pin(iter(chunks.into_iter().map(move |chunk| Ok(redact_chunk(&failures.key, chunk))))))
    }

    /// Reads a whole body, within the byte limit and the deadline.
    pub(crate) async fn read_body(&self, mut bytes: ByteStream) -> Result<Vec<u8>, ModelError> {
        let (failures, options) = (&self.failures, &self.options);
        let limit = options.limits.body_bytes;
        let mut body = Vec::new();
        loop {
            let read = timeout_at(self.deadline, bytes.next())
                .await
                .map_err(|_| total_timeout_error(failures, options.total_timeout))?
                .transpose()
                .map_err(|error| failures.transport(&error))?;
            let Some(piece) = read else { return Ok(body) };
            if body.len().saturating_add(piece.len()) > limit {
                let text = format!("the answer has more than {limit} bytes");
                return Err(failures.model_error(ModelErrorKind::Malformed, &text));
            }
            body.extend_from_slice(&piece);
        }
    }

    /// Adds the request id of the response to an error.
    pub(crate) fn add_request_id(&self, error: ModelError) -> ModelError {
        error.with_request_id(self.request_id.clone())
    }
}

/// Removes the key from error chunks: a server can repeat the key that it received.
pub(crate) fn redact_chunk(key: &Key, chunk: Chunk) -> Chunk {
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
pub(crate) async fn read_refusal_body(mut bytes: ByteStream, until: Instant) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(Ok(piece))) = timeout_at(until, bytes.next()).await {
        let room = REFUSAL_BYTES.saturating_sub(body.len());
        body.extend(piece.iter().take(room));
        if room < piece.len() {
            break;
        }
    }
    body
}

/// Returns the error of a provider that sends nothing.
pub(crate) fn idle_timeout_error(failures: &Failures, waited: Duration) -> ModelError {
    let text = format!("no data arrived for {waited:?} (the idle timeout)");
    failures.model_error(ModelErrorKind::Idle, &text)
}

/// Returns the error of an answer that takes too long, retries included.
pub(crate) fn total_timeout_error(failures: &Failures, waited: Duration) -> ModelError {
    let text = format!("the answer took longer than {waited:?} (the total timeout)");
    failures.model_error(ModelErrorKind::Idle, &text)
}
