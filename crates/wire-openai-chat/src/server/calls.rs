//! Numbers the calls of an answer with this format's indexes.

use serde_json::{Map, Value, json};
use windlass_protocol::{Opaque, Payload};
use windlass_stream::{CallChunk, CallKey, WholeCall};
use windlass_wire::EncodeError;

use crate::marks;
use crate::names::encode_error;

/// The calls of the answer so far.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    calls: Vec<SentCall>,
}

#[derive(Debug)]
struct SentCall {
    key: Option<CallKey>,
    has_text: bool,
}

/// A fragment of a call.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) index: usize,
    /// The data of a call's first fragment.
    pub(crate) head: Option<Head>,
    /// The next fragment of its arguments or of its free text.
    pub(crate) text: String,
}

/// The data that a call's first fragment has.
#[derive(Debug)]
pub(crate) struct Head {
    id: String,
    name: String,
    form: Form,
    more: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Function,
    Custom,
}

impl Calls {
    pub(crate) fn push(&mut self, piece: &CallChunk) -> Result<Option<Piece>, EncodeError> {
        match piece {
            CallChunk::Start { key, id, name, opaque } => {
                Ok(Some(self.begin(Some(*key), id.as_deref(), name, Form::Function, opaque.as_ref())))
            }
            CallChunk::Delta { key, arguments } => Ok(self.add(*key, arguments)),
            CallChunk::End { key, arguments } => {
                // The complete arguments at the end count only if no delta came (RULES S6). Empty arguments
                // become an empty object.
                let is_silent = self.calls.iter().any(|call| call.key == Some(*key) && !call.has_text);
                let text = arguments.as_deref().filter(|text| !text.is_empty()).unwrap_or("{}");
                Ok(if is_silent { self.add(*key, text) } else { None })
            }
            CallChunk::Whole { id, name, body, opaque } => {
                let (form, text) = match body {
                    WholeCall::Arguments(text) => (Form::Function, text.clone()),
                    WholeCall::Payload(Payload::Custom { input }) => (Form::Custom, input.clone()),
                    WholeCall::Payload(Payload::LocalShell { command, working_directory, timeout_ms }) => {
                        // The format has only functions and free text, so a shell command is encoded as a
                        // function's arguments.
                        let arguments = json!({
                            "command": command, "working_directory": working_directory, "timeout_ms": timeout_ms,
                        });
                        (Form::Function, arguments.to_string())
                    }
                    WholeCall::Payload(payload) => (Form::Function, payload.text()),
                };
                let mut piece = self.begin(None, id.as_deref(), name, form, opaque.as_ref());
                piece.text = text;
                Ok(Some(piece))
            }
            _ => Err(encode_error("a call in fragments that were not put in order")),
        }
    }

    fn begin(
        &mut self,
        key: Option<CallKey>,
        id: Option<&str>,
        name: &str,
        form: Form,
        opaque: Option<&Opaque>,
    ) -> Piece {
        let index = self.calls.len();
        self.calls.push(SentCall { key, has_text: false });
        let id = id.map_or_else(|| format!("call_{index}"), str::to_owned);
        let more = marks::group(opaque, marks::CALL).cloned().unwrap_or_default();
        let head = Head { id, name: name.to_owned(), form, more };
        Piece { index, head: Some(head), text: String::new() }
    }

    fn add(&mut self, key: CallKey, text: &str) -> Option<Piece> {
        let (index, call) = self.calls.iter_mut().enumerate().find(|(_, call)| call.key == Some(key))?;
        call.has_text |= !text.is_empty();
        Some(Piece { index, head: None, text: text.to_owned() })
    }
}

impl Piece {
    /// Encodes the fragment as an item of a delta's `tool_calls`.
    pub(crate) fn delta(self) -> Value {
        match self.head {
            None => json!({ "index": self.index, "function": { "arguments": self.text } }),
            Some(head) => {
                let mut item = head.item(&self.text);
                if let Some(fields) = item.as_object_mut() {
                    fields.insert("index".to_owned(), self.index.into());
                }
                item
            }
        }
    }
}

impl Head {
    /// Encodes the whole call as an item of a message's `tool_calls`.
    pub(crate) fn item(self, text: &str) -> Value {
        let mut item = self.more;
        item.insert("id".to_owned(), self.id.into());
        let (kind, body) = match self.form {
            Form::Function => ("function", json!({ "name": self.name, "arguments": text })),
            Form::Custom => ("custom", json!({ "name": self.name, "input": text })),
        };
        item.insert("type".to_owned(), kind.into());
        item.insert(kind.to_owned(), body);
        Value::Object(item)
    }
}
