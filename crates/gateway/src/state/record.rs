//! Storage of a response when it ends.

use std::io;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use windlass_wire::Framing;

use super::session::Session;
use crate::answer::ResponseBody;

/// The events that end a response.
const ENDS: [&[u8]; 3] =
    [b"event: response.completed", b"event: response.incomplete", b"event: response.failed"];

impl Session {
    /// Returns the body, and stores the response before its last bytes are sent, so that a client which has read them
    /// can continue it. `store` is false in a response that cannot be stored. A response whose body is dropped is not
    /// stored.
    ///
    /// Each piece of the body consists of whole events.
    pub(crate) fn record(self, body: ResponseBody, reply_id: String, framing: Framing) -> ResponseBody {
        Box::pin(stream::unfold((body, self, reply_id), move |(mut body, session, reply_id)| async move {
            let piece = body.next().await?;
            let piece = match piece {
                Ok(bytes) => Ok(session.store_end(bytes, &reply_id, framing).await),
                Err(error) => Err::<Bytes, io::Error>(error),
            };
            Some((piece, (body, session, reply_id)))
        }))
    }

    async fn store_end(&self, bytes: Bytes, reply_id: &str, framing: Framing) -> Bytes {
        let Some((start, response)) = end(&bytes, framing) else { return bytes };
        let is_kept = self.store(reply_id, response.to_owned()).await.is_ok();
        if is_kept { bytes } else { clear_storage(&bytes, start, response.get()).unwrap_or(bytes) }
    }
}

#[derive(Deserialize)]
struct EndEvent<'a> {
    #[serde(borrow)]
    response: &'a RawValue,
}

/// Returns the place of the response object in the bytes, and the object, if the response ends in these bytes.
fn end(bytes: &Bytes, framing: Framing) -> Option<(usize, &RawValue)> {
    let offset = |text: &str| (text.as_ptr() as usize).saturating_sub(bytes.as_ptr() as usize);
    if framing == Framing::Whole {
        let response: &RawValue = serde_json::from_slice(bytes).ok()?;
        return Some((offset(response.get()), response));
    }
    let mut lines = bytes.split(|byte| *byte == b'\n');
    lines.find(|line| ENDS.contains(line))?;
    let data = lines.next()?.strip_prefix(b"data: ")?;
    let event: EndEvent<'_> = serde_json::from_slice(data).ok()?;
    Some((offset(event.response.get()), event.response))
}

/// Sets `store` of the response to false.
fn clear_storage(bytes: &Bytes, start: usize, response: &str) -> Option<Bytes> {
    let mut changed: Value = serde_json::from_str(response).ok()?;
    changed.as_object_mut()?.insert("store".to_owned(), false.into());
    let (before, after) = (bytes.get(..start)?, bytes.get(start.checked_add(response.len())?..)?);
    Some([before, changed.to_string().as_bytes(), after].concat().into())
}
