//! Writes an answer: its items, one event after the other, and the response around them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use windlass_protocol::{Opaque, Payload, StopReason, Unknown, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError, WholeCall};
use windlass_wire::{Asked, EncodeError, Encoder, Framing, Reply};

use crate::item::ITEM_FIELD;
use crate::server::frame::{Ending, Frame, status};
use crate::server::items::{
    OpenCall, OpenMessage, OpenThoughts, marks_of, message_item, own_item, refusal_part, summary_part,
    text_part,
};
use crate::spoken::REFUSAL_FIELD;
use crate::wire::NAME;

/// Writes one answer, as events or as one body.
pub(crate) struct ResponseEncoder {
    framing: Framing,
    reply: Reply,
    frame: Frame,
    /// The number of the next event.
    number: u64,
    /// The place of the next item.
    next: u64,
    /// The items that are whole, by their places.
    items: BTreeMap<u64, Value>,
    message: Option<OpenMessage>,
    thoughts: Option<OpenThoughts>,
    calls: BTreeMap<CallKey, OpenCall>,
    refused: bool,
    usage: Usage,
    finish: Option<(StopReason, String)>,
    error: Option<StreamError>,
}

impl ResponseEncoder {
    pub(crate) fn new(asked: &Asked, reply: Reply) -> Self {
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

    /// Writes an event; an answer in one body has none.
    fn event(&mut self, bytes: &mut Vec<u8>, kind: &str, fields: Value) {
        if self.framing == Framing::Whole {
            return;
        }
        let Value::Object(mut event) = fields else { return };
        event.insert("type".to_owned(), kind.into());
        event.insert("sequence_number".to_owned(), self.number.into());
        self.number = self.number.saturating_add(1);
        bytes.extend_from_slice(format!("event: {kind}\ndata: {}\n\n", Value::Object(event)).as_bytes());
    }

    fn begin(&mut self, bytes: &mut Vec<u8>) {
        if self.number == 0 && self.framing != Framing::Whole {
            let response = self.frame.begun();
            self.event(bytes, "response.created", json!({ "response": response }));
            self.event(bytes, "response.in_progress", json!({ "response": response }));
        }
    }

    fn place(&mut self) -> u64 {
        let index = self.next;
        self.next = self.next.saturating_add(1);
        index
    }

    fn id(&self, prefix: &str, index: u64) -> String {
        format!("{prefix}_{}_{index}", self.reply.id)
    }

    fn added(&mut self, bytes: &mut Vec<u8>, index: u64, item: &Value) {
        self.event(bytes, "response.output_item.added", json!({ "output_index": index, "item": item }));
    }

    fn done(&mut self, bytes: &mut Vec<u8>, index: u64, item: Value) {
        self.event(bytes, "response.output_item.done", json!({ "output_index": index, "item": item }));
        self.items.insert(index, item);
    }

    /// Writes an item that came whole and has no events of its own here.
    fn whole_item(&mut self, bytes: &mut Vec<u8>, item: Value) {
        self.close(bytes, "completed");
        let index = self.place();
        self.added(bytes, index, &item);
        self.done(bytes, index, item);
    }

    /// Ends words and thoughts: what follows is another item (RULES P4).
    fn close(&mut self, bytes: &mut Vec<u8>, status: &str) {
        self.close_message(bytes, status, Map::new());
        self.close_thoughts(bytes, None);
    }

    fn open_message(&mut self, bytes: &mut Vec<u8>) -> OpenMessage {
        self.close_thoughts(bytes, None);
        if let Some(message) = self.message.take() {
            return message;
        }
        let index = self.place();
        let id = self.id("msg", index);
        self.added(bytes, index, &message_item(&id, "in_progress", &[]));
        let part = text_part("", &[]);
        self.event(
            bytes,
            "response.content_part.added",
            json!({ "item_id": id, "output_index": index, "content_index": 0, "part": part }),
        );
        OpenMessage { index, id, text: String::new(), annotations: Vec::new() }
    }

    fn speak(&mut self, bytes: &mut Vec<u8>, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut message = self.open_message(bytes);
        message.text.push_str(text);
        let delta = json!({ "item_id": message.id, "output_index": message.index, "content_index": 0,
            "delta": text, "logprobs": [] });
        self.event(bytes, "response.output_text.delta", delta);
        self.message = Some(message);
    }

    /// Says where words came from, if it is said in this API's own form.
    fn annotate(&mut self, bytes: &mut Vec<u8>, annotation: &Value) {
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

    fn close_message(&mut self, bytes: &mut Vec<u8>, status: &str, marks: Map<String, Value>) {
        let Some(message) = self.message.take() else { return };
        let OpenMessage { index, id, text, annotations } = &message;
        let part = text_part(text, annotations);
        let place = json!({ "item_id": id, "output_index": index, "content_index": 0 });
        self.event(bytes, "response.output_text.done", with(&place, json!({ "text": text, "logprobs": [] })));
        self.event(bytes, "response.content_part.done", with(&place, json!({ "part": part })));
        self.done(bytes, message.index, message.item(status, marks));
    }

    /// A message of a refusal and nothing else.
    fn refuse(&mut self, bytes: &mut Vec<u8>, refusal: &str) {
        self.refused = true;
        self.close(bytes, "completed");
        let index = self.place();
        let id = self.id("msg", index);
        self.added(bytes, index, &message_item(&id, "in_progress", &[]));
        let place = json!({ "item_id": id, "output_index": index, "content_index": 0 });
        let part = |text: &str| json!({ "part": refusal_part(text) });
        self.event(bytes, "response.content_part.added", with(&place, part("")));
        self.event(bytes, "response.refusal.delta", with(&place, json!({ "delta": refusal })));
        self.event(bytes, "response.refusal.done", with(&place, json!({ "refusal": refusal })));
        self.event(bytes, "response.content_part.done", with(&place, part(refusal)));
        self.done(bytes, index, message_item(&id, "completed", &[refusal_part(refusal)]));
    }

    fn think(&mut self, bytes: &mut Vec<u8>, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut thoughts = if let Some(thoughts) = self.thoughts.take() {
            thoughts
        } else {
            self.close_message(bytes, "completed", Map::new());
            let index = self.place();
            let id = self.id("rs", index);
            self.added(bytes, index, &json!({ "type": "reasoning", "id": id, "summary": [] }));
            OpenThoughts { index, id, parts: Vec::new() }
        };
        // This is how the parts of a summary are told apart where they are read.
        if text == "\n\n" || thoughts.parts.is_empty() {
            self.end_summary(bytes, &thoughts);
            let place = thoughts.place(thoughts.parts.len());
            let part = json!({ "part": summary_part("") });
            self.event(bytes, "response.reasoning_summary_part.added", with(&place, part));
            thoughts.parts.push(String::new());
        }
        if text != "\n\n" {
            let delta = with(&thoughts.last_place(), json!({ "delta": text }));
            self.event(bytes, "response.reasoning_summary_text.delta", delta);
            if let Some(last) = thoughts.parts.last_mut() {
                last.push_str(text);
            }
        }
        self.thoughts = Some(thoughts);
    }

    fn end_summary(&mut self, bytes: &mut Vec<u8>, thoughts: &OpenThoughts) {
        let Some(last) = thoughts.parts.last() else { return };
        let place = thoughts.last_place();
        self.event(bytes, "response.reasoning_summary_text.done", with(&place, json!({ "text": last })));
        let part = json!({ "part": summary_part(last) });
        self.event(bytes, "response.reasoning_summary_part.done", with(&place, part));
    }

    fn close_thoughts(&mut self, bytes: &mut Vec<u8>, own: Option<Value>) {
        let Some(thoughts) = self.thoughts.take() else {
            // A cipher without words.
            return own.into_iter().for_each(|item| self.whole_item(bytes, item));
        };
        self.end_summary(bytes, &thoughts);
        self.done(bytes, thoughts.index, thoughts.item(own));
    }

    fn call(&mut self, bytes: &mut Vec<u8>, piece: &CallChunk) -> Result<(), EncodeError> {
        match piece {
            CallChunk::Start { key, id, name, opaque } => {
                self.close(bytes, "completed");
                let call = self.start(bytes, id.as_deref(), name, opaque.as_ref());
                self.calls.insert(*key, call);
            }
            CallChunk::Delta { key, arguments } => {
                if let Some(mut call) = self.calls.remove(key) {
                    self.grow(bytes, &mut call, arguments);
                    self.calls.insert(*key, call);
                }
            }
            CallChunk::End { key, arguments } => {
                if let Some(mut call) = self.calls.remove(key) {
                    self.end(bytes, &mut call, arguments.as_deref());
                }
            }
            CallChunk::Whole { id, name, body, opaque } => {
                self.whole_call(bytes, id.as_deref(), name, body, opaque.as_ref());
            }
            _ => {
                let what = "a call's fragment that was not normalized".to_owned();
                return Err(EncodeError::Unsupported { wire: NAME, what });
            }
        }
        Ok(())
    }

    fn start(
        &mut self,
        bytes: &mut Vec<u8>,
        id: Option<&str>,
        name: &str,
        opaque: Option<&Opaque>,
    ) -> OpenCall {
        let index = self.place();
        let (marks, own) = (marks_of(opaque), own_item(opaque));
        let known = marks.get("id").and_then(Value::as_str).map(str::to_owned);
        let item_id = known.unwrap_or_else(|| self.id("fc", index));
        let call_id = id.map_or_else(|| self.id("call", index), str::to_owned);
        let arguments = String::new();
        let call = OpenCall { index, id: item_id, call_id, name: name.to_owned(), arguments, marks, own };
        self.added(bytes, index, &call.item("in_progress"));
        call
    }

    fn grow(&mut self, bytes: &mut Vec<u8>, call: &mut OpenCall, arguments: &str) {
        if !arguments.is_empty() && call.own.is_none() {
            call.arguments.push_str(arguments);
            let delta = json!({ "item_id": call.id, "output_index": call.index, "delta": arguments });
            self.event(bytes, "response.function_call_arguments.delta", delta);
        }
    }

    fn end(&mut self, bytes: &mut Vec<u8>, call: &mut OpenCall, arguments: Option<&str>) {
        if let Some(item) = call.own.take() {
            return self.done(bytes, call.index, item);
        }
        if call.arguments.is_empty() {
            // Clients parse them, also where the model wrote none.
            let whole = arguments.filter(|arguments| !arguments.is_empty()).unwrap_or("{}");
            self.grow(bytes, call, whole);
        }
        let done = json!({ "item_id": call.id, "output_index": call.index, "name": call.name,
            "arguments": call.arguments });
        self.event(bytes, "response.function_call_arguments.done", done);
        self.done(bytes, call.index, call.item("completed"));
    }

    fn whole_call(
        &mut self,
        bytes: &mut Vec<u8>,
        id: Option<&str>,
        name: &str,
        body: &WholeCall,
        opaque: Option<&Opaque>,
    ) {
        self.close(bytes, "completed");
        if let Some(item) = own_item(opaque) {
            return self.whole_item(bytes, item);
        }
        match body {
            WholeCall::Payload(Payload::Custom { input }) => self.custom_call(bytes, id, name, input, opaque),
            WholeCall::Payload(Payload::LocalShell { command, working_directory, timeout_ms }) => {
                let index = self.next;
                let action = json!({ "type": "exec", "command": command, "env": {}, "timeout_ms": timeout_ms,
                    "working_directory": working_directory });
                let call_id = id.map_or_else(|| self.id("call", index), str::to_owned);
                let item = json!({ "type": "local_shell_call", "id": self.id("lsh", index), "call_id": call_id,
                    "action": action, "status": "completed" });
                self.whole_item(bytes, item);
            }
            WholeCall::Payload(payload) => self.function_call(bytes, id, name, &payload.text(), opaque),
            WholeCall::Arguments(arguments) => self.function_call(bytes, id, name, arguments, opaque),
        }
    }

    fn function_call(
        &mut self,
        bytes: &mut Vec<u8>,
        id: Option<&str>,
        name: &str,
        arguments: &str,
        opaque: Option<&Opaque>,
    ) {
        let mut call = self.start(bytes, id, name, opaque);
        self.grow(bytes, &mut call, arguments);
        self.end(bytes, &mut call, None);
    }

    fn custom_call(
        &mut self,
        bytes: &mut Vec<u8>,
        id: Option<&str>,
        name: &str,
        input: &str,
        opaque: Option<&Opaque>,
    ) {
        let index = self.place();
        let mut item = marks_of(opaque);
        let made = self.id("ctc", index);
        let item_id = item.entry("id").or_insert_with(|| made.into()).clone();
        item.insert("type".to_owned(), "custom_tool_call".into());
        item.insert("call_id".to_owned(), id.map_or_else(|| self.id("call", index), str::to_owned).into());
        item.insert("name".to_owned(), name.into());
        item.insert("input".to_owned(), "".into());
        self.added(bytes, index, &Value::Object(item.clone()));
        let place = json!({ "item_id": item_id, "output_index": index });
        self.event(bytes, "response.custom_tool_call_input.delta", with(&place, json!({ "delta": input })));
        self.event(bytes, "response.custom_tool_call_input.done", with(&place, json!({ "input": input })));
        item.insert("input".to_owned(), input.into());
        item.insert("status".to_owned(), "completed".into());
        self.done(bytes, index, Value::Object(item));
    }

    /// What came from this API and has no word here: an item, a refusal, an event.
    fn unknown(&mut self, bytes: &mut Vec<u8>, unknown: &Unknown) {
        if unknown.wire != NAME {
            return;
        }
        let value = &unknown.value;
        if let Some(item) = value.get(ITEM_FIELD) {
            self.whole_item(bytes, item.clone());
        } else if let Some(refusal) = value.get(REFUSAL_FIELD).and_then(Value::as_str) {
            self.refuse(bytes, refusal);
        } else if let Some(kind) = value.get("type").and_then(Value::as_str)
            && kind.starts_with("response.")
        {
            self.event(bytes, kind, value.clone());
        }
    }

    /// Ends every item, calls that were cut as what they are (RULES S10).
    fn close_all(&mut self, bytes: &mut Vec<u8>, status: &str) {
        self.close(bytes, status);
        for call in std::mem::take(&mut self.calls).into_values() {
            self.done(bytes, call.index, call.item("incomplete"));
        }
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

/// The fields of both objects.
fn with(place: &Value, more: Value) -> Value {
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

    fn push(&mut self, chunk: &Chunk, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.begin(bytes);
        match chunk {
            Chunk::Text { text } => self.speak(bytes, text),
            Chunk::TextEnd { opaque } => self.close_message(bytes, "completed", marks_of(opaque.as_ref())),
            Chunk::Reasoning { text } => self.think(bytes, text),
            Chunk::ReasoningEnd { opaque } => self.close_thoughts(bytes, own_item(opaque.as_ref())),
            Chunk::Call(piece) => self.call(bytes, piece)?,
            Chunk::Usage { usage } => self.usage = *usage,
            Chunk::Grounding { value } => self.annotate(bytes, value),
            Chunk::Finish { reason, raw } => self.finish = Some((reason.clone(), raw.clone())),
            Chunk::Error { error } => {
                let event = json!({ "code": error.code, "message": error.message, "param": null });
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
            // A stream that broke off ends without an end; a body has to say so.
            None if self.framing != Framing::Whole => return Ok(()),
            None => broken,
        };
        let (status, incomplete) = status(&reason, &raw, self.refused);
        self.close_all(bytes, if status == "completed" { status } else { "incomplete" });
        let output: Vec<Value> = std::mem::take(&mut self.items).into_values().collect();
        let unsaid = StreamError::new(
            windlass_stream::StreamErrorKind::Server,
            Some("server_error".to_owned()),
            "the answer broke off",
        );
        let error = self.error.as_ref().or((status == "failed").then_some(&unsaid));
        let ending = Ending { status, incomplete, error, usage: self.usage };
        let response = self.frame.ended(output, ending);
        if self.framing == Framing::Whole {
            bytes.extend_from_slice(response.to_string().as_bytes());
        } else {
            self.event(bytes, &format!("response.{status}"), json!({ "response": response }));
        }
        Ok(())
    }
}
