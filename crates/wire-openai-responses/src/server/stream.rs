//! Encodes an answer: the events of its items and the response around them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use windlass_protocol::{StopReason, Unknown, Usage};
use windlass_stream::{CallKey, Chunk, StreamError};
use windlass_wire::{DecodedRequest, EncodeError, Encoder, Framing, ResponseHead};

use crate::item::ITEM_FIELD;
use crate::names::NAME;
use crate::server::error::stream_code;
use crate::server::frame::{Ending, Frame, status};
use crate::server::items::{OpenCall, OpenMessage, OpenThoughts, marks_of, own_item};
use crate::spoken::REFUSAL_FIELD;

/// The encoder of one answer, as events or as one body.
pub(crate) struct ResponseEncoder {
    pub(super) framing: Framing,
    pub(super) reply: ResponseHead,
    pub(super) frame: Frame,
    /// The sequence number of the next event.
    pub(super) number: u64,
    /// The output index of the next item.
    pub(super) next: u64,
    /// The completed items, by output index.
    pub(super) items: BTreeMap<u64, Value>,
    pub(super) message: Option<OpenMessage>,
    pub(super) thoughts: Option<OpenThoughts>,
    pub(super) calls: BTreeMap<CallKey, OpenCall>,
    pub(super) refused: bool,
    pub(super) usage: Usage,
    pub(super) finish: Option<(StopReason, String)>,
    pub(super) error: Option<StreamError>,
}

impl ResponseEncoder {
    pub(crate) fn new(asked: &DecodedRequest, reply: ResponseHead) -> Self {
        Self {
            framing: asked.framing,
            frame: Frame::new(asked, &reply),
            reply,
            number: 0,
            next: 0,
            items: BTreeMap::new(),
            message: None,
            thoughts: None,
            calls: BTreeMap::new(),
            refused: false,
            usage: Usage::default(),
            finish: None,
            error: None,
        }
    }

    /// Writes an event. A whole answer has no events.
    pub(super) fn event(&mut self, bytes: &mut Vec<u8>, kind: &str, fields: Value) {
        if self.framing == Framing::Whole {
            return;
        }
        let Value::Object(mut event) = fields else { return };
        event.insert("type".to_owned(), kind.into());
        event.insert("sequence_number".to_owned(), self.number.into());
        self.number = self.number.saturating_add(1);
        bytes.extend_from_slice(format!("event: {kind}\ndata: {}\n\n", Value::Object(event)).as_bytes());
    }

    pub(super) fn begin(&mut self, bytes: &mut Vec<u8>) {
        if self.number == 0 && self.framing != Framing::Whole {
            let response = self.frame.start_response();
            self.event(bytes, "response.created", json!({ "response": response }));
            self.event(bytes, "response.in_progress", json!({ "response": response }));
        }
    }

    pub(super) fn place(&mut self) -> u64 {
        let index = self.next;
        self.next = self.next.saturating_add(1);
        index
    }

    pub(super) fn id(&self, prefix: &str, index: u64) -> String {
        format!("{prefix}_{}_{index}", self.reply.id)
    }

    pub(super) fn push_added(&mut self, bytes: &mut Vec<u8>, index: u64, item: &Value) {
        self.event(bytes, "response.output_item.added", json!({ "output_index": index, "item": item }));
    }

    pub(super) fn push_done(&mut self, bytes: &mut Vec<u8>, index: u64, item: Value) {
        self.event(bytes, "response.output_item.done", json!({ "output_index": index, "item": item }));
        self.items.insert(index, item);
    }

    /// Encodes an item that arrived whole and has no events of its own.
    pub(super) fn whole_item(&mut self, bytes: &mut Vec<u8>, item: Value) {
        self.close(bytes, "completed");
        let index = self.place();
        self.push_added(bytes, index, &item);
        self.push_done(bytes, index, item);
    }

    /// Ends the open text and reasoning, because another item follows (RULES P4).
    pub(super) fn close(&mut self, bytes: &mut Vec<u8>, status: &str) {
        self.close_message(bytes, status, Map::new());
        self.close_thoughts(bytes, None);
    }

    /// Encodes an unknown value of this API: an item, a refusal, or an event.
    pub(super) fn unknown(&mut self, bytes: &mut Vec<u8>, unknown: &Unknown) {
        let value = &unknown.value;
        // The text of a refusal is in this field in all formats.
        if let Some(refusal) = value.get(REFUSAL_FIELD).and_then(Value::as_str) {
            return self.refuse(bytes, refusal);
        }
        if unknown.wire != NAME {
            return;
        }
        if let Some(item) = value.get(ITEM_FIELD) {
            self.whole_item(bytes, item.clone());
        } else if let Some(kind) = value.get("type").and_then(Value::as_str)
            && kind.starts_with("response.")
        {
            self.event(bytes, kind, value.clone());
        }
    }

    /// Ends all items. Open calls are marked as incomplete (RULES S10).
    pub(super) fn close_all(&mut self, bytes: &mut Vec<u8>, status: &str) {
        self.close(bytes, status);
        for call in std::mem::take(&mut self.calls).into_values() {
            self.push_done(bytes, call.index, call.item("incomplete"));
        }
    }
}

/// Returns an annotation in this format's form. The Chat format has the fields of the source in an object of its own.
fn flat_annotation(annotation: &Value) -> Cow<'_, Value> {
    match annotation.get("url_citation") {
        Some(source @ Value::Object(_)) => {
            Cow::Owned(merge_objects(source, json!({ "type": "url_citation" })))
        }
        _ => Cow::Borrowed(annotation),
    }
}

/// Merges the fields of both objects.
pub(super) fn merge_objects(place: &Value, more: Value) -> Value {
    let mut fields = place.as_object().cloned().unwrap_or_default();
    if let Value::Object(more) = more {
        fields.extend(more);
    }
    Value::Object(fields)
}

impl Encoder for ResponseEncoder {
    fn content_type(&self) -> &'static str {
        if self.framing == Framing::Whole { "application/json" } else { "text/event-stream" }
    }

    fn keep_alive(&mut self, bytes: &mut Vec<u8>) {
        if self.framing != Framing::Whole {
            self.begin(bytes);
            bytes.extend_from_slice(b": keep-alive\n\n");
        }
    }

    fn push(&mut self, chunk: &Chunk, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.begin(bytes);
        match chunk {
            Chunk::Text { text } => self.speak(bytes, text),
            Chunk::TextEnd { opaque } => self.close_message(bytes, "completed", marks_of(opaque.as_ref())),
            Chunk::Reasoning { text } => self.think(bytes, text),
            Chunk::ReasoningEnd { opaque } => self.close_thoughts(bytes, own_item(opaque.as_ref())),
            Chunk::Call(piece) => self.call(bytes, piece)?,
            Chunk::Usage { usage } => self.usage = *usage,
            Chunk::Grounding { value } => self.annotate(bytes, &flat_annotation(value)),
            Chunk::Finish { reason, raw } => self.finish = Some((reason.clone(), raw.clone())),
            Chunk::Error { error } => {
                let event = json!({
                    "code": stream_code(error), "message": error.message, "param": error.parameter,
                });
                self.event(bytes, "error", event);
                self.error = Some(error.clone());
            }
            Chunk::Unknown(unknown) => self.unknown(bytes, unknown),
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.begin(bytes);
        let broken = (StopReason::Error, String::new());
        let (reason, raw) = match self.finish.take() {
            Some(finish) => finish,
            // Without a finish the answer ended early. A stream then has no end event; a whole body needs an
            // error.
            None if self.framing != Framing::Whole => return Ok(()),
            None => broken,
        };
        let (status, incomplete) = status(&reason, &raw, self.refused);
        self.close_all(bytes, if status == "completed" { status } else { "incomplete" });
        let output: Vec<Value> = std::mem::take(&mut self.items).into_values().collect();
        let unsaid = StreamError::new(
            windlass_stream::StreamErrorKind::Server,
            Some("server_error".to_owned()),
            "the answer ended early",
        );
        let error = self.error.as_ref().or((status == "failed").then_some(&unsaid));
        let ending = Ending { status, incomplete, error, usage: self.usage };
        let response = self.frame.end_response(output, ending);
        if self.framing == Framing::Whole {
            serde_json::to_writer(&mut *bytes, &response)?;
        } else {
            self.event(bytes, &format!("response.{status}"), json!({ "response": response }));
        }
        Ok(())
    }
}
