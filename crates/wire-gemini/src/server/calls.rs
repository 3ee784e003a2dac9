//! Encodes calls. This API sends a call only when it is complete.

use serde_json::json;
use serde_json::value::RawValue;
use windlass_protocol::{Opaque, Payload};
use windlass_stream::{CallChunk, CallKey, WholeCall};
use windlass_wire::EncodeError;

use crate::call::{ID, SIGNATURE};
use crate::names::NAME;
use crate::server::event::{CallPart, Part};
use crate::server::stream::{AnswerEncoder, mark};

/// A call under construction.
pub(super) struct OpenCall {
    /// The call's key, or `None` if the call is complete.
    pub(super) open: Option<CallKey>,
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) opaque: Option<Opaque>,
}

impl AnswerEncoder {
    pub(super) fn call(&mut self, bytes: &mut Vec<u8>, piece: &CallChunk) -> Result<(), EncodeError> {
        match piece {
            CallChunk::Start { key, id, name, opaque } => {
                let (id, name, opaque) = (id.clone(), name.clone(), opaque.clone());
                self.calls.push_back(OpenCall {
                    open: Some(*key),
                    id,
                    name,
                    arguments: String::new(),
                    opaque,
                });
            }
            CallChunk::Delta { key, arguments } => {
                if let Some(call) = self.open(*key) {
                    call.arguments.push_str(arguments);
                }
            }
            CallChunk::End { key, arguments } => {
                if let Some(call) = self.open(*key) {
                    call.open = None;
                    if call.arguments.is_empty() {
                        call.arguments.push_str(arguments.as_deref().unwrap_or_default());
                    }
                }
            }
            CallChunk::Whole { id, name, body, opaque } => {
                let arguments = match body {
                    WholeCall::Arguments(text) => text.clone(),
                    WholeCall::Payload(payload) => arguments(payload),
                };
                let (id, name, opaque) = (id.clone(), name.clone(), opaque.clone());
                self.calls.push_back(OpenCall { open: None, id, name, arguments, opaque });
            }
            _ => {
                let what = "a call's fragment that was not normalized".to_owned();
                return Err(EncodeError::Unsupported { wire: NAME, what });
            }
        }
        while let Some(call) = self.calls.pop_front_if(|call| call.open.is_none()) {
            self.whole_call(bytes, &call)?;
        }
        Ok(())
    }

    pub(super) fn open(&mut self, key: CallKey) -> Option<&mut OpenCall> {
        self.calls.iter_mut().find(|call| call.open == Some(key))
    }

    pub(super) fn whole_call(&mut self, bytes: &mut Vec<u8>, call: &OpenCall) -> Result<(), EncodeError> {
        self.release(bytes, None)?;
        let text = if call.arguments.trim().is_empty() { "{}" } else { call.arguments.trim() };
        // An event has to be one line. JSON strings cannot contain line breaks, so all of them are
        // replaceable white space.
        let args =
            RawValue::from_string(text.replace(['\r', '\n'], " ")).ok().filter(|_| text.starts_with('{'));
        let (Some(args), false) = (args, call.name.is_empty()) else {
            // Arguments that are not an object have no encoding here, and a call with other arguments would
            // be another call.
            self.broken = true;
            return Ok(());
        };
        let opaque = call.opaque.as_ref();
        // If this API sent a call without an id, its result has no id either.
        let is_own = opaque.is_some_and(|opaque| opaque.for_wire(NAME).is_some());
        let id = if is_own { mark(opaque, ID) } else { call.id.as_deref() };
        let part = CallPart { id, name: &call.name, args: &args };
        self.part(bytes, Part::Call { call: part, signature: mark(opaque, SIGNATURE) })
    }
}

/// Returns the arguments of a call of another form.
fn arguments(payload: &Payload) -> String {
    match payload {
        Payload::Function { arguments } | Payload::Mcp { arguments, .. } => arguments.as_str().to_owned(),
        Payload::LocalShell { command, working_directory, .. } => {
            json!({ "command": command, "working_directory": working_directory }).to_string()
        }
        other => json!({ "input": other.text() }).to_string(),
    }
}
