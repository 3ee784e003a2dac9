//! The builder of a request body.

use std::fmt;
use std::ops::Range;

use bytes::Bytes;
use serde::Serialize;
use windlass_protocol::{History, Message};

use crate::encoded::TAIL;
use crate::expected_bytes::expected_bytes;
use crate::{EncodeError, EncodedHistory};

/// A function that edits the part of the body before the conversation.
type HeadEdit<'a> = &'a dyn Fn(Vec<u8>) -> Vec<u8>;

/// A builder that extends the previous request body. A wire format calls `resume` with the inputs of its
/// items, and `finish` with the head (the part before the conversation) and the items.
///
/// The conversation must be a list in the last field of the body (RULES N6).
pub struct RequestBody<'a> {
    memory: &'a mut EncodedHistory,
    edit: Option<HeadEdit<'a>>,
    opens: fn(&Message) -> bool,
    /// The first message to encode.
    start: usize,
}

impl<'a> RequestBody<'a> {
    /// Creates a builder that extends the stored body.
    pub fn new(memory: &'a mut EncodedHistory) -> Self {
        Self { memory, edit: None, opens: |_| true, start: 0 }
    }

    pub(crate) fn with_edit(self, edit: HeadEdit<'a>) -> Self {
        Self { edit: Some(edit), ..self }
    }

    /// Returns the index of the first message to encode; all earlier messages have been encoded and checked.
    ///
    /// The key must contain every input of the items in addition to the messages, including the name of the
    /// format. `opens` returns whether the format writes any part of an answer; the encoding cannot be split
    /// at an answer that is not written.
    pub fn resume(
        &mut self,
        key: fmt::Arguments<'_>,
        messages: &History,
        opens: fn(&Message) -> bool,
    ) -> usize {
        self.opens = opens;
        self.start = self.memory.resume(key, messages, opens);
        self.start
    }

    /// Returns the sum of `count` over all messages. Only new messages are counted.
    pub fn tally(&mut self, messages: &History, count: impl Fn(&Message) -> usize) -> usize {
        self.memory.tally(messages, count)
    }

    /// Builds the complete body. The head is an object whose last field is the list of the conversation,
    /// including any items before the first message. `items` returns the items for a range of messages; it is
    /// called for consecutive ranges, beginning at the index that `resume` returned.
    ///
    /// # Errors
    /// Returns an error if the head or an item cannot be serialized, or the error of `items`.
    pub fn finish<H: Serialize, I: Serialize>(
        self,
        head: &H,
        messages: &History,
        mut items: impl FnMut(Range<usize>) -> Result<Vec<I>, EncodeError>,
    ) -> Result<Bytes, EncodeError> {
        let Self { memory, edit, opens, start } = self;
        let head = serde_json::to_vec(head)?;
        let edited = edit.map(|edit| edit(head.clone()));
        let begin = edited.as_ref().unwrap_or(&head).strip_suffix(TAIL);
        // An edit may remove the empty list at the end of the head. Then encode the unedited body and edit it
        // as a whole.
        let (begin, edit) = match (begin, edit) {
            (Some(begin), _) => (begin, None),
            (None, edit) => {
                memory.clear();
                (head.strip_suffix(TAIL).unwrap_or(&head), edit)
            }
        };
        let mut body = memory.begin(begin);
        // A large buffer that doubles is copied.
        body.reserve(expected_bytes(messages, start));
        if let Err(error) = memory.write(&mut body, messages, opens, &mut items) {
            memory.clear();
            return Err(error);
        }
        let body = memory.end(body, messages);
        let Some(edit) = edit else { return Ok(body) };
        memory.clear();
        Ok(edit(body.into()).into())
    }

    /// Returns a body that was built as a whole, after the edit. It is not stored for the next turn.
    pub fn whole(self, body: Bytes) -> Bytes {
        self.memory.clear();
        match self.edit {
            Some(edit) => edit(body.into()).into(),
            None => body,
        }
    }
}

impl fmt::Debug for RequestBody<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestBody").field("memory", &self.memory).finish_non_exhaustive()
    }
}
