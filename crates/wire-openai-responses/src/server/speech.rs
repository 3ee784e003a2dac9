//! Encodes text and reasoning, each as an item that grows and ends.

use serde::Serialize;
use serde_json::{Map, Value, json};

use windlass_wire::Framing;

use crate::server::cipher::cover;
use crate::server::items::{OpenMessage, OpenThoughts, message_item, refusal_part, summary_part, text_part};
use crate::server::stream::{ResponseEncoder, merge_objects};

/// The separator between two parts of a summary in one text.
const BREAK: &str = "\n\n";

/// The event of a piece of text, with its fields in the order of `serde_json::Map`.
#[derive(Serialize)]
struct TextDelta<'a> {
    content_index: u64,
    delta: &'a str,
    item_id: &'a str,
    logprobs: [(); 0],
    output_index: u64,
    sequence_number: u64,
    #[serde(rename = "type")]
    kind: &'static str,
}

impl ResponseEncoder {
    pub(super) fn open_message(&mut self, bytes: &mut Vec<u8>) -> OpenMessage {
        self.close_thoughts(bytes, None);
        if let Some(message) = self.message.take() {
            return message;
        }
        let index = self.place();
        let id = self.id("msg", index);
        self.push_added(bytes, index, &message_item(&id, "in_progress", &[]));
        let part = text_part("", &[]);
        self.event(
            bytes,
            "response.content_part.added",
            json!({ "item_id": id, "output_index": index, "content_index": 0, "part": part }),
        );
        OpenMessage { index, id, text: String::new(), annotations: Vec::new() }
    }

    pub(super) fn speak(&mut self, bytes: &mut Vec<u8>, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut message = self.open_message(bytes);
        message.text.push_str(text);
        self.text_delta(bytes, &message, text);
        self.message = Some(message);
    }

    /// Writes the event of a piece of text. A stream has such an event for each token, so the text is
    /// written directly, without a JSON value in between.
    fn text_delta(&mut self, bytes: &mut Vec<u8>, message: &OpenMessage, text: &str) {
        if self.framing == Framing::Whole {
            return;
        }
        bytes.extend_from_slice(b"event: response.output_text.delta\ndata: ");
        let event = TextDelta {
            content_index: 0,
            delta: text,
            item_id: &message.id,
            logprobs: [],
            output_index: message.index,
            sequence_number: self.number,
            kind: "response.output_text.delta",
        };
        // Writing texts and numbers to memory does not fail.
        let _ = serde_json::to_writer(&mut *bytes, &event);
        bytes.extend_from_slice(b"\n\n");
        self.number = self.number.saturating_add(1);
    }

    /// Encodes the source of a text, if it is an annotation of this API.
    pub(super) fn annotate(&mut self, bytes: &mut Vec<u8>, annotation: &Value) {
        let kind = annotation.get("type").and_then(Value::as_str).unwrap_or_default();
        if !matches!(kind, "url_citation" | "file_citation" | "container_file_citation" | "file_path") {
            return;
        }
        let mut message = self.open_message(bytes);
        let event = json!({ "item_id": message.id, "output_index": message.index, "content_index": 0,
            "annotation_index": message.annotations.len(), "annotation": annotation });
        self.event(bytes, "response.output_text.annotation.added", event);
        message.annotations.push(annotation.clone());
        self.message = Some(message);
    }

    pub(super) fn close_message(&mut self, bytes: &mut Vec<u8>, status: &str, marks: Map<String, Value>) {
        let Some(message) = self.message.take() else { return };
        let OpenMessage { index, id, text, annotations } = &message;
        let part = text_part(text, annotations);
        let place = json!({ "item_id": id, "output_index": index, "content_index": 0 });
        self.event(
            bytes,
            "response.output_text.done",
            merge_objects(&place, json!({ "text": text, "logprobs": [] })),
        );
        self.event(bytes, "response.content_part.done", merge_objects(&place, json!({ "part": part })));
        let item = self.restore_id(message.item(status, marks), &message.id);
        self.push_done(bytes, message.index, item);
    }

    /// Encodes a message that holds only a refusal.
    pub(super) fn refuse(&mut self, bytes: &mut Vec<u8>, refusal: &str) {
        self.refused = true;
        self.close(bytes, "completed");
        let index = self.place();
        let id = self.id("msg", index);
        self.push_added(bytes, index, &message_item(&id, "in_progress", &[]));
        let place = json!({ "item_id": id, "output_index": index, "content_index": 0 });
        let part = |text: &str| json!({ "part": refusal_part(text) });
        self.event(bytes, "response.content_part.added", merge_objects(&place, part("")));
        self.event(bytes, "response.refusal.delta", merge_objects(&place, json!({ "delta": refusal })));
        self.event(bytes, "response.refusal.done", merge_objects(&place, json!({ "refusal": refusal })));
        self.event(bytes, "response.content_part.done", merge_objects(&place, part(refusal)));
        self.push_done(bytes, index, message_item(&id, "completed", &[refusal_part(refusal)]));
    }

    pub(super) fn think(&mut self, bytes: &mut Vec<u8>, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut thoughts = if let Some(thoughts) = self.thoughts.take() {
            thoughts
        } else {
            self.close_message(bytes, "completed", Map::new());
            let index = self.place();
            let id = self.id("rs", index);
            self.push_added(bytes, index, &json!({ "type": "reasoning", "id": id, "summary": [] }));
            OpenThoughts { index, id, parts: Vec::new(), at_break: false }
        };
        // The decoder inserts this separator between the parts of a summary. The next chunk shows whether it
        // was one or belongs to the text.
        let is_break = text == BREAK && !thoughts.parts.is_empty();
        match (thoughts.at_break, is_break) {
            (false, true) => thoughts.at_break = true,
            (true, true) => self.grow_summary(bytes, &mut thoughts, BREAK),
            (at_break, false) => {
                if at_break || thoughts.parts.is_empty() {
                    self.begin_summary(bytes, &mut thoughts);
                }
                self.grow_summary(bytes, &mut thoughts, text);
            }
        }
        self.thoughts = Some(thoughts);
    }

    fn begin_summary(&mut self, bytes: &mut Vec<u8>, thoughts: &mut OpenThoughts) {
        thoughts.at_break = false;
        self.end_summary(bytes, thoughts);
        let place = thoughts.place(thoughts.parts.len());
        let part = json!({ "part": summary_part("") });
        self.event(bytes, "response.reasoning_summary_part.added", merge_objects(&place, part));
        thoughts.parts.push(String::new());
    }

    fn grow_summary(&mut self, bytes: &mut Vec<u8>, thoughts: &mut OpenThoughts, text: &str) {
        let delta = merge_objects(&thoughts.last_place(), json!({ "delta": text }));
        self.event(bytes, "response.reasoning_summary_text.delta", delta);
        if let Some(last) = thoughts.parts.last_mut() {
            last.push_str(text);
        }
    }

    pub(super) fn end_summary(&mut self, bytes: &mut Vec<u8>, thoughts: &OpenThoughts) {
        let Some(last) = thoughts.parts.last() else { return };
        let place = thoughts.last_place();
        self.event(
            bytes,
            "response.reasoning_summary_text.done",
            merge_objects(&place, json!({ "text": last })),
        );
        let part = json!({ "part": summary_part(last) });
        self.event(bytes, "response.reasoning_summary_part.done", merge_objects(&place, part));
    }

    pub(super) fn close_thoughts(&mut self, bytes: &mut Vec<u8>, own: Option<Value>) {
        let Some(mut thoughts) = self.thoughts.take() else {
            // Encrypted content without any text.
            return own.into_iter().for_each(|item| self.whole_item(bytes, item));
        };
        if std::mem::take(&mut thoughts.at_break) {
            self.grow_summary(bytes, &mut thoughts, BREAK);
        }
        self.end_summary(bytes, &thoughts);
        let mut item = thoughts.item(own);
        if self.framing != Framing::Whole
            && let Some(fields) = item.as_object_mut()
        {
            cover(fields, &thoughts.id);
        }
        self.push_done(bytes, thoughts.index, item);
    }

    /// Returns the item under the id with which it started. The id of the original item is known only at its
    /// end, and clients refuse an item whose id changes in the stream. A whole answer keeps the original id.
    fn restore_id(&self, mut item: Value, id: &str) -> Value {
        if self.framing != Framing::Whole
            && let Some(fields) = item.as_object_mut()
        {
            fields.insert("id".to_owned(), id.into());
        }
        item
    }
}

impl OpenThoughts {
    fn place(&self, part: usize) -> Value {
        json!({ "item_id": self.id, "output_index": self.index, "summary_index": part })
    }

    fn last_place(&self) -> Value {
        self.place(self.parts.len().saturating_sub(1))
    }
}
