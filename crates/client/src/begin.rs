//! The beginning of an answer: an error that comes before the first word is a refusal like any other.

use futures_util::{StreamExt, stream};
use windlass_model::{ChunkStream, ModelError};
use windlass_stream::{Chunk, StreamError, StreamErrorKind};

/// Waits for the first chunk with content. The returned stream begins with the chunks before it.
///
/// # Errors
/// If the answer ends with an error before that, other than a filter's or one that is not known.
pub(crate) async fn begun(
    chunks: ChunkStream,
    failure: impl Fn(StreamError) -> ModelError,
) -> Result<ChunkStream, ModelError> {
    // The stream may end here and is polled once more by the chain below.
    let mut chunks = chunks.fuse();
    let mut first = Vec::new();
    while let Some(chunk) = chunks.next().await {
        match chunk {
            Ok(Chunk::Error { error }) if is_refusal(&error) => return Err(failure(error)),
            // Tokens are counted, and events that are not known sent, before the first word.
            Ok(chunk @ (Chunk::Usage { .. } | Chunk::Unknown(_))) => first.push(Ok(chunk)),
            Ok(chunk) => {
                first.push(Ok(chunk));
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Box::pin(stream::iter(first).chain(chunks)))
}

fn is_refusal(error: &StreamError) -> bool {
    !matches!(error.kind, StreamErrorKind::Blocked | StreamErrorKind::Unknown)
}
