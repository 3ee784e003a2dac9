//! What was encoded of a conversation, so that its next turn costs only what is new.

use std::fmt::{self, Write as _};

use bytes::{Bytes, BytesMut};
use serde::Serialize;
use windlass_protocol::{History, Message, Request, Role};

use crate::same::is_same;
use crate::{EncodeError, HttpRequest, RequestBody, Wire};

/// The body of the last request of a conversation. The next one is made from it: messages that both have are not
/// written again, and the bytes are those that [`Wire::encode`] gives without any memory.
///
/// A message is known again because it is shared (as the messages of a [`History`] and its clones are), else because
/// it is equal. Whoever holds one of these may ask for another conversation with it, another model or another format:
/// that is only not cheaper.
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
/// #     fn decoder(&self, _: Limits) -> Box<dyn Decoder> { unreachable!() }
/// #     fn decode_whole(&self, _: &[u8], _: Limits, _: &mut Vec<Chunk>) -> Result<(), DecodeError> { Ok(()) }
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
    /// What the items depend on beside the messages.
    key: String,
    /// The messages of the body.
    history: History,
    /// The head, the items and the tail.
    body: Bytes,
    /// How long the head is.
    head: usize,
    /// Places where what stands before is the same whatever comes after, in order.
    cuts: Vec<Cut>,
    /// What a format counts in the messages, summed up from the start.
    tallies: Vec<usize>,
}

/// A place between two messages: so many messages are the first so many bytes after the head.
#[derive(Clone, Copy, Debug)]
struct Cut {
    message: usize,
    bytes: usize,
}

/// What every body ends with: the conversation is the last field, and a list.
pub(crate) const TAIL: &[u8] = b"]}";

impl EncodedHistory {
    /// Nothing was encoded yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes HTTP of a request, from what is held of the request before.
    ///
    /// # Errors
    /// If the request cannot be said in this format.
    pub fn encode(&mut self, wire: &dyn Wire, request: &Request) -> Result<HttpRequest, EncodeError> {
        wire.encode_onto(request, RequestBody::of(self))
    }

    /// The same, with a change of all that stands before the conversation: a whole body whose conversation is empty
    /// goes in, and the body that it is to be comes out.
    ///
    /// # Errors
    /// If the request cannot be said in this format.
    pub fn encode_edited(
        &mut self,
        wire: &dyn Wire,
        request: &Request,
        edit: &dyn Fn(Vec<u8>) -> Vec<u8>,
    ) -> Result<HttpRequest, EncodeError> {
        wire.encode_onto(request, RequestBody::of(self).edited(edit))
    }

    /// How many messages from the start of a conversation are those that were encoded last.
    pub fn known(&self, messages: &History) -> usize {
        let shared = messages.shared_prefix(&self.history);
        let pairs = messages.iter().skip(shared).zip(self.history.iter().skip(shared));
        shared.saturating_add(pairs.take_while(|(one, other)| is_same(one, other)).count())
    }

    /// The messages of the last request.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The bytes of the last body.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Keeps what stays of the last body, and says with which message the new part begins.
    pub(crate) fn resume(
        &mut self,
        key: fmt::Arguments<'_>,
        messages: &History,
        opens: fn(&Message) -> bool,
    ) -> usize {
        let mut new = Compared { rest: &self.key, is_same: true };
        let is_same_key = new.write_fmt(key).is_ok() && new.is_same && new.rest.is_empty();
        if !is_same_key {
            self.clear();
            self.key = key.to_string();
        }
        let known = if self.cuts.is_empty() { 0 } else { self.known(messages) };
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

    /// Begins the body with this head, which has no tail: what is kept of the last body follows it.
    pub(crate) fn begin(&mut self, head: &[u8]) -> BytesMut {
        let kept = self.cuts.last().map_or(0, |cut| cut.bytes);
        let end = self.head.saturating_add(kept);
        let before = std::mem::take(&mut self.body);
        if before.get(..self.head) == Some(head) {
            // Nobody else holds a body that has been sent, so it can grow where it is.
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

    /// Adds the items of the messages from so many on.
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
                serde_json::to_writer(Out(body), &item)?;
            }
            self.cuts.push(Cut { message: end, bytes: body.len().saturating_sub(self.head) });
            from = end;
        }
        Ok(())
    }

    /// Ends the body, and keeps it.
    pub(crate) fn end(&mut self, mut body: BytesMut, messages: &History) -> Bytes {
        body.extend_from_slice(TAIL);
        self.body = body.freeze();
        self.history = messages.clone();
        self.body.clone()
    }
}

/// Whether an answer begins here that shares nothing with what was said before: the round of calls is over, and in no
/// format it is one message with its neighbour. The format says whether it has anything of the answer to write.
fn is_cut(messages: &History, at: usize, opens: fn(&Message) -> bool) -> bool {
    let is_answer = |message: &Message| message.role == Role::Assistant;
    let before = at.checked_sub(1).and_then(|before| messages.get(before));
    messages.get(at).is_some_and(|message| {
        let has_result = message.parts.iter().any(|part| matches!(part, windlass_protocol::Part::Result(_)));
        is_answer(message) && !has_result && opens(message)
    }) && !before.is_some_and(is_answer)
}

/// Compares what is written with a text, without keeping it.
struct Compared<'a> {
    rest: &'a str,
    is_same: bool,
}

impl fmt::Write for Compared<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match self.rest.strip_prefix(text) {
            Some(rest) => self.rest = rest,
            None => self.is_same = false,
        }
        Ok(())
    }
}

/// Lets JSON be written at the end of a body.
struct Out<'a>(&'a mut BytesMut);

impl std::io::Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl fmt::Debug for EncodedHistory {
    // A body can be megabytes and hold what the user would not want in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncodedHistory")
            .field("messages", &self.history.len())
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}
