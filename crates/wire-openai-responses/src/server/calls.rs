//! Encodes calls, in all forms of the API.

use serde_json::{Value, json};
use windlass_protocol::{Opaque, Payload};
use windlass_stream::{CallChunk, WholeCall};
use windlass_wire::EncodeError;

use crate::names::NAME;
use crate::server::items::{OpenCall, marks_of, own_item};
use crate::server::stream::{ResponseEncoder, with};

impl ResponseEncoder {
    pub(super) fn call(&mut self, bytes: &mut Vec<u8>, piece: &CallChunk) -> Result<(), EncodeError> {
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

    pub(super) fn start(
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

    pub(super) fn grow(&mut self, bytes: &mut Vec<u8>, call: &mut OpenCall, arguments: &str) {
        if !arguments.is_empty() && call.own.is_none() {
            call.arguments.push_str(arguments);
            let delta = json!({ "item_id": call.id, "output_index": call.index, "delta": arguments });
            self.event(bytes, "response.function_call_arguments.delta", delta);
        }
    }

    pub(super) fn end(&mut self, bytes: &mut Vec<u8>, call: &mut OpenCall, arguments: Option<&str>) {
        if let Some(item) = call.own.take() {
            return self.done(bytes, call.index, item);
        }
        if call.arguments.is_empty() {
            // Clients parse the arguments even if the model wrote none.
            let whole = arguments.filter(|arguments| !arguments.is_empty()).unwrap_or("{}");
            self.grow(bytes, call, whole);
        }
        let done = json!({ "item_id": call.id, "output_index": call.index, "name": call.name,
            "arguments": call.arguments });
        self.event(bytes, "response.function_call_arguments.done", done);
        self.done(bytes, call.index, call.item("completed"));
    }

    pub(super) fn whole_call(
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

    pub(super) fn function_call(
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

    pub(super) fn custom_call(
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
}
