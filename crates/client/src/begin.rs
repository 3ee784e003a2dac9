//! The beginning of an answer: an error that comes before the first word is a refusal like any other.

use futures_util::{StreamExt, stream};
use windlass_model::{ChunkStream, ModelError, ModelErrorKind};
use windlass_stream::{Chunk, StreamErrorKind};

/// Waits for the first chunk with something in it. What came before is handed out with it.
///
/// # Errors
/// If the answer ends with an error before that, and the same request may work later.
pub(crate) async fn begun(
    mut chunks: ChunkStream,
    failure: impl Fn(ModelErrorKind, &str) -> ModelError,
) -> Result<ChunkStream, ModelError> {
    let mut first = Vec::new();
    while let Some(chunk) = chunks.next().await {
        match chunk {
            Ok(Chunk::Error { error }) if error.is_retryable() => {
                let kind = match error.kind {
                    StreamErrorKind::RateLimit => ModelErrorKind::RateLimit,
                    _ => ModelErrorKind::Server,
                };
                return Err(failure(kind, &format!("an error instead of an answer: {error}")));
            }
            // Tokens are counted before anything is said.
            Ok(chunk @ Chunk::Usage { .. }) => first.push(Ok(chunk)),
            Ok(chunk) => {
                first.push(Ok(chunk));
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Box::pin(stream::iter(first).chain(chunks)))
}
