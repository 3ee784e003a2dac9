//! The beginning of an answer: an error chunk before the first content is treated like a refused request.

use futures_util::{StreamExt, stream};
use windlass_stream::{Chunk, ChunkStream, ModelError, StreamError, StreamErrorKind};

/// Waits for the first chunk with content. The returned stream starts with the chunks before it.
///
/// # Errors
/// If the answer ends with an error before its first content, unless the error is a content filter's or of an
/// unknown kind: those stay in the stream.
pub(crate) async fn await_first_chunk(
    chunks: ChunkStream,
    failure: impl Fn(StreamError) -> ModelError,
) -> Result<ChunkStream, ModelError> {
    // `fuse`: the loop may see the end of the stream, and `chain` below polls it again.
    let mut chunks = chunks.fuse();
    let mut first = Vec::new();
    while let Some(chunk) = chunks.next().await {
        match chunk {
            Ok(Chunk::Error { error }) if is_refusal(&error) => return Err(failure(error)),
            // Providers send usage and events of unknown types before the first content.
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
