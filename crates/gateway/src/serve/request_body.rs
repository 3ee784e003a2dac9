//! Reading of request bodies.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::Body;
use tokio::time::timeout;

use super::options::ServeOptions;

/// Maximum silence of a client whose body is discarded.
const SILENCE: Duration = Duration::from_secs(2);
/// The bodies of maximum size that are discarded of one refused request.
const DISCARDED_BODIES: usize = 4;

/// Reads a body of at most `most` bytes; `None` if it is larger or incomplete. A body in one piece is not copied, and one in
/// several pieces is copied once, into memory of the size that the client announced.
pub(crate) async fn read_body<B>(mut body: B, most: usize) -> Option<Bytes>
where
    B: Body<Data = Bytes> + Unpin,
{
    let size = body.size_hint().exact().and_then(|size| usize::try_from(size).ok()).unwrap_or_default();
    if size > most {
        return None;
    }
    let Some(first) = next_piece(&mut body).await? else { return Some(Bytes::new()) };
    let Some(second) = next_piece(&mut body).await? else {
        return (first.len() <= most).then_some(first);
    };
    let mut all = Vec::with_capacity(size);
    all.extend_from_slice(&first);
    // Each piece is dropped before the next one is read, so that its memory can be used again.
    drop(first);
    let mut piece = Some(second);
    while let Some(bytes) = piece.take() {
        if all.len().saturating_add(bytes.len()) > most {
            return None;
        }
        all.extend_from_slice(&bytes);
        drop(bytes);
        piece = next_piece(&mut body).await?;
    }
    Some(all.into())
}

/// Reads the rest of a body on a task of its own, while the refusal of its request is sent. A connection that is closed with
/// unread bytes is reset, and its client would report a broken connection in place of the refusal.
pub(crate) fn discard_body<B>(mut body: B, options: &ServeOptions)
where
    B: Body<Data = Bytes> + Unpin + Send + 'static,
{
    let mut room = options.body_bytes.saturating_mul(DISCARDED_BODIES);
    let rest = async move {
        while let Ok(Some(Some(bytes))) = timeout(SILENCE, next_piece(&mut body)).await
            && let Some(left) = room.checked_sub(bytes.len())
        {
            room = left;
        }
    };
    drop(tokio::spawn(timeout(options.body_timeout, rest)));
}

/// Returns the next bytes, `Some(None)` at the end, or `None` if the body broke.
async fn next_piece<B>(body: &mut B) -> Option<Option<Bytes>>
where
    B: Body<Data = Bytes> + Unpin,
{
    while let Some(frame) = body.frame().await {
        if let Ok(bytes) = frame.ok()?.into_data() {
            return Some(Some(bytes));
        }
    }
    Some(None)
}

#[cfg(test)]
mod tests;
