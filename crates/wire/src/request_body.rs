//! The body of a request in the making.

use std::fmt;
use std::ops::Range;

use bytes::Bytes;
use serde::Serialize;
use windlass_protocol::{History, Message};

use crate::encoded::TAIL;
use crate::{EncodeError, EncodedHistory};

/// A change of all that stands before the conversation.
type HeadEdit<'a> = &'a dyn Fn(Vec<u8>) -> Vec<u8>;

/// The body of a request in the making, on top of what is left of the body before. A wire format says with `resume`
/// what its items depend on, and with `finish` what stands before the conversation and what the items are.
///
/// The body has to end with the conversation, as a list in the last field (RULES N6).
pub struct RequestBody<'a> {
    memory: &'a mut EncodedHistory,
    edit: Option<HeadEdit<'a>>,
    opens: fn(&Message) -> bool,
}

impl<'a> RequestBody<'a> {
    /// A body on top of what is held of the one before.
    pub fn of(memory: &'a mut EncodedHistory) -> Self {
        Self { memory, edit: None, opens: |_| true }
    }

    pub(crate) fn edited(self, edit: HeadEdit<'a>) -> Self {
        Self { edit: Some(edit), ..self }
    }

    /// Says with which message the new part begins; all before it are encoded and were checked.
    ///
    /// The key names all that the items depend on beside the messages, the format among it. `opens` says whether an
    /// answer of the model is written as anything at all: one that is not does not part what stands around it.
    pub fn resume(
        &mut self,
        key: fmt::Arguments<'_>,
        messages: &History,
        opens: fn(&Message) -> bool,
    ) -> usize {
        self.opens = opens;
        self.memory.resume(key, messages, opens)
    }

    /// The sum of what is counted in all messages, of which only the new ones are looked at.
    pub fn tally(&mut self, messages: &History, count: impl Fn(&Message) -> usize) -> usize {
        self.memory.tally(messages, count)
    }

    /// The whole body: the head is an object whose last field is the list of the conversation, with what stands
    /// before the first message in it. `items` gives what the messages of a range are in it, for as many ranges as
    /// there are, in order, beginning with the message that `resume` said.
    ///
    /// # Errors
    /// If the head or an item does not become JSON, and what `items` fails with.
    pub fn finish<H: Serialize, I: Serialize>(
        self,
        head: &H,
        messages: &History,
        mut items: impl FnMut(Range<usize>) -> Result<Vec<I>, EncodeError>,
    ) -> Result<Bytes, EncodeError> {
        let Self { memory, edit, opens } = self;
        let head = serde_json::to_vec(head)?;
        let edited = edit.map(|edit| edit(head.clone()));
        let begin = edited.as_ref().unwrap_or(&head).strip_suffix(TAIL);
        // What is left of the head after an edit may have no place for the conversation.
        let (begin, edit) = match (begin, edit) {
            (Some(begin), _) => (begin, None),
            (None, edit) => {
                memory.clear();
                (head.strip_suffix(TAIL).unwrap_or(&head), edit)
            }
        };
        let mut body = memory.begin(begin);
        if let Err(error) = memory.write(&mut body, messages, opens, &mut items) {
            memory.clear();
            return Err(error);
        }
        let body = memory.end(body, messages);
        let Some(edit) = edit else { return Ok(body) };
        memory.clear();
        Ok(edit(body.into()).into())
    }

    /// A body that is made as one, and of which nothing is kept.
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
