//! Incremental encoding of a conversation: each turn only encodes new messages.

use std::fmt::{self, Write as _};

use bytes::{Bytes, BytesMut};
use serde::Serialize;
use windlass_protocol::{History, Message, Request};

use crate::cut::{Cut, is_cut};
use crate::same::is_same;
use crate::writers::{BodyWriter, CompareWriter};
use crate::{EncodeError, HttpRequest, RequestBody, Wire};

/// The request body of the last turn of a conversation, from which the next body is built. Messages that both
/// turns contain are not encoded again, and the bytes are identical to those of [`Wire::encode`].
///
/// A message is recognized by identity (messages that a [`History`] shares with its clones) or else by
/// equality. The value may be reused for another conversation, model or format; only the saving is lost.
///
/// ```
/// use windlass_protocol::{Message, Part, Request};
/// use windlass_wire::EncodedHistory;
/// # use windlass_stream::Chunk;
/// # use windlass_wire::*;
/// # struct Plain;
/// # impl Wire for Plain {
/// #     fn name(&self) -> &'static str { "plain" }
/// #     fn encode(&self, request: &Request) -> Result<HttpRequest, EncodeError> {
/// #         EncodedHistory::new().encode(self, request)
/// #     }
/// #     fn encode_onto(&self, request: &Request, mut body: RequestBody<'_>) -> Result<HttpRequest, EncodeError> {
/// #         body.resume(format_args!("plain"), &request.messages, |_| true);
/// #         let head = serde_json::json!({ "messages": [] });
/// #         let messages = &request.messages;
/// #         let items = |range: std::ops::Range<usize>| Ok(range.map(|at| &messages[at]).collect::<Vec<_>>());
/// #         Ok(HttpRequest::post("/ask", body.finish(&head, messages, items)?))
/// #     }
/// #     fn decoder(&self, _: WireLimits) -> Box<dyn Decoder> { unreachable!() }
/// #     fn decode_whole(&self, _: &[u8], _: WireLimits, _: &mut Vec<Chunk>) -> Result<(), DecodeError> { Ok(()) }
/// #     fn decode_error(&self, status: u16, body: &[u8]) -> ProviderError { ProviderError::not_provider(status, body) }
/// # }
/// # let wire = Plain;
/// let mut encoded = EncodedHistory::new();
/// let mut request = Request::new("m", vec![Message::user("hello")]);
/// let first = encoded.encode(&wire, &request)?;
///
/// request.messages.push(Message::assistant(vec![Part::text("hello, who is there?")]));
/// request.messages.push(Message::user("guess"));
/// let second = encoded.encode(&wire, &request)?;
/// assert_eq!(second.body, wire.encode(&request)?.body);
/// windlass_wire::assert_append_only([&first.body, &second.body]);
/// # Ok::<(), windlass_wire::EncodeError>(())
/// ```
#[derive(Clone, Default)]
pub struct EncodedHistory {
    /// The inputs of the encoded items in addition to the messages; a different key invalidates the body.
    key: String,
    /// The messages of the body.
    history: History,
    /// The head, the items and the tail of the body.
    body: Bytes,
    /// The length of the head in bytes.
    head: usize,
    /// The positions at which the encoding of earlier messages does not depend on later messages, in order.
    cuts: Vec<Cut>,
    /// The cumulative count of a format over the messages, one entry per message.
    tallies: Vec<usize>,
}

/// The end of every body: the conversation is a list in the last field.
pub(crate) const TAIL: &[u8] = b"]}";

impl EncodedHistory {
    /// Creates an empty memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Encodes a request, reusing the encoded messages of the previous request.
    ///
    /// # Errors
    /// Returns an error if the format cannot express the request.
    pub fn encode(&mut self, wire: &dyn Wire, request: &Request) -> Result<HttpRequest, EncodeError> {
        wire.encode_onto(request, RequestBody::new(self))
    }

    /// Encodes a request like [`encode`](Self::encode), and edits the part before the conversation: `edit`
    /// receives a complete body with an empty conversation and returns the changed body.
    ///
    /// # Errors
    /// Returns an error if the format cannot express the request.
    pub fn encode_edited(
        &mut self,
        wire: &dyn Wire,
        request: &Request,
        edit: &dyn Fn(Vec<u8>) -> Vec<u8>,
    ) -> Result<HttpRequest, EncodeError> {
        wire.encode_onto(request, RequestBody::new(self).with_edit(edit))
    }

    /// Returns the number of leading messages that are identical to those of the last request.
    pub fn count_known(&self, messages: &History) -> usize {
        let shared = messages.shared_prefix(&self.history);
        let pairs = messages.iter().skip(shared).zip(self.history.iter().skip(shared));
        shared.saturating_add(pairs.take_while(|(one, other)| is_same(one, other)).count())
    }

    /// Returns the messages of the last request.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns the last body.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Discards the cuts that the new conversation invalidates, and returns the index of the first message to
    /// encode.
    pub(crate) fn resume(
        &mut self,
        key: fmt::Arguments<'_>,
        messages: &History,
        opens: fn(&Message) -> bool,
    ) -> usize {
        let mut new = CompareWriter { rest: &self.key, is_same: true };
        let is_same_key = new.write_fmt(key).is_ok() && new.is_same && new.rest.is_empty();
        if !is_same_key {
            self.clear();
            self.key = key.to_string();
        }
        let known = if self.cuts.is_empty() { 0 } else { self.count_known(messages) };
        let holds = |cut: &Cut| {
            cut.message <= known && (cut.message == messages.len() || is_cut(messages, cut.message, opens))
        };
        while self.cuts.pop_if(|cut| !holds(cut)).is_some() {}
        let start = self.cuts.last().map_or(0, |cut| cut.message);
        self.tallies.truncate(start);
        start
    }

    pub(crate) fn tally(&mut self, messages: &History, count: impl Fn(&Message) -> usize) -> usize {
        for message in messages.iter().skip(self.tallies.len()) {
            let before = self.tallies.last().copied().unwrap_or(0);
            self.tallies.push(before.saturating_add(count(message)));
        }
        self.tallies.last().copied().unwrap_or(0)
    }

    /// Begins the body with this head, which must not contain the tail, followed by the reused part of the
    /// last body.
    pub(crate) fn begin(&mut self, head: &[u8]) -> BytesMut {
        let kept = self.cuts.last().map_or(0, |cut| cut.bytes);
        let end = self.head.saturating_add(kept);
        let before = std::mem::take(&mut self.body);
        if before.get(..self.head) == Some(head) {
            // If the previous body has been sent and dropped, this is its only handle and the buffer can grow
            // in place.
            let mut body = match before.try_into_mut() {
                Ok(body) => body,
                Err(shared) => BytesMut::from(shared.get(..end).unwrap_or_default()),
            };
            body.truncate(end);
            return body;
        }
        let kept = before.get(self.head..end).unwrap_or_default();
        let mut body = BytesMut::with_capacity(head.len().saturating_add(kept.len()));
        body.extend_from_slice(head);
        body.extend_from_slice(kept);
        self.head = head.len();
        body
    }

    /// Appends the items of all messages after the last cut.
    pub(crate) fn write<I: Serialize>(
        &mut self,
        body: &mut BytesMut,
        messages: &History,
        opens: fn(&Message) -> bool,
        mut items: impl FnMut(std::ops::Range<usize>) -> Result<Vec<I>, EncodeError>,
    ) -> Result<(), EncodeError> {
        let mut from = self.cuts.last().map_or(0, |cut| cut.message);
        while from < messages.len() {
            let first = from.saturating_add(1);
            let end =
                (first..messages.len()).find(|at| is_cut(messages, *at, opens)).unwrap_or(messages.len());
            for item in items(from..end)? {
                if body.last() != Some(&b'[') {
                    body.extend_from_slice(b",");
                }
                serde_json::to_writer(BodyWriter(body), &item)?;
            }
            self.cuts.push(Cut { message: end, bytes: body.len().saturating_sub(self.head) });
            from = end;
        }
        Ok(())
    }

    /// Appends the tail and stores the body.
    pub(crate) fn end(&mut self, mut body: BytesMut, messages: &History) -> Bytes {
        body.extend_from_slice(TAIL);
        self.body = body.freeze();
        self.history = messages.clone();
        self.body.clone()
    }
}

impl fmt::Debug for EncodedHistory {
    // A body can be megabytes long and contain private data, so log only its length.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncodedHistory")
            .field("messages", &self.history.len())
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}
