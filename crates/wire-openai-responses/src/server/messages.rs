//! Decodes the items of a request as messages. Consecutive items of the assistant, and of tools,
//! become one message.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use windlass_protocol::{
    Arguments, CallId, Message, Opaque, Part, Payload, Reasoning, Role, ToolCall, ToolName, Unknown,
};
use windlass_stream::{CallChunk, CallKey, WholeCall};
use windlass_wire::{Fields, RequestError};

use crate::call::whole_call;
use crate::event::Item;
use crate::item::ITEM_FIELD;
use crate::names::NAME;
use crate::server::cipher::uncover;
use crate::server::content::said;
use crate::server::request::{tool_name, value};
use crate::server::results::result;

/// Decodes the items. With `is_stateful`, the server may hold calls whose results are in the request.
pub(crate) fn messages(
    items: Vec<(String, &RawValue)>,
    is_stateful: bool,
) -> Result<Vec<Message>, RequestError> {
    let mut input =
        Input { messages: Vec::new(), calls: BTreeMap::new(), kept: BTreeSet::new(), is_stateful };
    for (place, raw) in items {
        let kind = Fields::parse(place.as_str(), raw.get())?.text("type")?;
        // A reference to a stored item can also be a call.
        input.is_stateful |= kind.as_deref() == Some("item_reference");
        input.item(&place, kind.as_deref().unwrap_or("message"), raw)?;
    }
    Ok(input.messages)
}

struct Input {
    messages: Vec<Message>,
    /// The calls that are decoded as calls, by the id that their results name.
    calls: BTreeMap<String, CallId>,
    /// The ids of calls that are kept as raw items; their results are kept as raw items too.
    kept: BTreeSet<String>,
    is_stateful: bool,
}

impl Input {
    fn item(&mut self, place: &str, kind: &str, raw: &RawValue) -> Result<(), RequestError> {
        match kind {
            "message" => {
                let message = said(place, raw)?;
                self.say(message.role, message.parts);
            }
            "function_call" | "custom_tool_call" => self.call(place, kind, raw)?,
            "reasoning" => {
                let mut item = value(place, raw)?;
                uncover(&mut item);
                let words = thoughts(&item);
                let opaque = Opaque::new(NAME, kept(item));
                self.say(Role::Assistant, vec![Part::Reasoning(Reasoning::new(words, Some(opaque)))]);
            }
            "local_shell_call" | "shell_call" | "apply_patch_call" | "mcp_approval_request" => {
                match special_call(raw) {
                    Some(call) => self.push_call(call),
                    None => self.keep(value(place, raw)?),
                }
            }
            "function_call_output"
            | "custom_tool_call_output"
            | "local_shell_call_output"
            | "shell_call_output"
            | "apply_patch_call_output"
            | "mcp_approval_response" => self.result(place, kind, raw)?,
            _ => self.keep(value(place, raw)?),
        }
        Ok(())
    }

    /// Appends parts to the last message, if that is an assistant's or a tool's and has the same role.
    /// Otherwise pushes a new message.
    fn say(&mut self, role: Role, parts: Vec<Part>) {
        match self.messages.last_mut() {
            Some(last) if last.role == role && matches!(role, Role::Assistant | Role::Tool) => {
                last.parts.extend(parts);
            }
            _ => self.messages.push(Message::new(role, parts)),
        }
    }

    /// Keeps an item of unknown type, to be sent back unchanged (RULES P3).
    fn keep(&mut self, item: Value) {
        self.kept.extend(item_id(&item).map(str::to_owned));
        let kept = Part::Unknown(Unknown::new(NAME, kept(item)));
        // An output inside a round of results must not end the round.
        let is_open = self.messages.last().is_some_and(|last| last.role == Role::Tool);
        let is_output = is_output(&kept);
        self.say(if is_open && is_output { Role::Tool } else { Role::Assistant }, vec![kept]);
    }

    fn push_call(&mut self, call: ToolCall) {
        self.calls.insert(call.id.as_str().to_owned(), call.id.clone());
        self.say(Role::Assistant, vec![Part::Call(call)]);
    }

    fn call(&mut self, place: &str, kind: &str, raw: &RawValue) -> Result<(), RequestError> {
        let mut fields = Fields::parse(place, raw.get())?;
        fields.raw("type");
        let id = call_id(&mut fields, "call_id")?;
        let name = tool_name(fields.place("name"), fields.required_text("name")?)?;
        let payload = if kind == "custom_tool_call" {
            Payload::Custom { input: fields.required_text("input")? }
        } else {
            let text = fields.text("arguments")?.unwrap_or_default();
            let text = if text.trim().is_empty() { "{}".to_owned() } else { text };
            let Ok(arguments) = Arguments::parse(text) else {
                // The API accepts any arguments that a model wrote.
                self.keep(value(place, raw)?);
                return Ok(());
            };
            Payload::Function { arguments }
        };
        self.push_call(ToolCall::new(id, name, payload).with_opaque(marks(fields.rest())));
        Ok(())
    }

    fn result(&mut self, place: &str, kind: &str, raw: &RawValue) -> Result<(), RequestError> {
        let item = value(place, raw)?;
        let id = item_id(&item).unwrap_or_default();
        match self.calls.get(id) {
            Some(call) => {
                let result = result(place, kind, call.clone(), raw)?;
                self.say(Role::Tool, vec![Part::Result(result)]);
            }
            None if self.kept.contains(id) || self.is_stateful => self.keep(item),
            // The call is unknown. The pairing is checked when the request is checked and encoded.
            None => {
                let call = call_id(&mut Fields::parse(place, raw.get())?, id_field(kind))?;
                let result = result(place, kind, call, raw)?;
                self.say(Role::Tool, vec![Part::Result(result)]);
            }
        }
        Ok(())
    }
}

/// Wraps an item that is sent back unchanged.
pub(crate) fn kept(item: Value) -> Value {
    Value::Object(Map::from_iter([(ITEM_FIELD.to_owned(), item)]))
}

fn id_field(kind: &str) -> &'static str {
    if kind == "mcp_approval_response" { "approval_request_id" } else { "call_id" }
}

/// Returns the id that ties an item to its call or result.
fn item_id(item: &Value) -> Option<&str> {
    let names = ["call_id", "approval_request_id", "id"];
    names.iter().find_map(|name| item.get(*name)?.as_str().filter(|id| !id.is_empty()))
}

fn call_id(fields: &mut Fields<'_>, name: &str) -> Result<CallId, RequestError> {
    CallId::new(fields.required_text(name)?)
        .map_err(|error| RequestError::shape(fields.place(name), error.to_string()))
}

fn is_output(kept: &Part) -> bool {
    let Part::Unknown(unknown) = kept else { return false };
    let kind = unknown.value.get(ITEM_FIELD).and_then(|item| item.get("type")).and_then(Value::as_str);
    kind.is_some_and(|kind| kind.ends_with("_output") || kind.ends_with("_response"))
}

/// Returns the text of a reasoning item: its summary, or its content if it does not have a summary.
fn thoughts(item: &Value) -> String {
    let words = |name: &str| {
        let parts = item.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let texts = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>();
        texts.join("\n\n")
    };
    let summary = words("summary");
    if summary.is_empty() { words("content") } else { summary }
}

/// Decodes a call of one of the provider's own forms, like in an answer. Returns `None` if it does not wait
/// for a result of ours.
fn special_call(raw: &RawValue) -> Option<ToolCall> {
    let item: Item<'_> = serde_json::from_str(raw.get()).ok()?;
    let pieces = whole_call(&item, raw, CallKey(0))?;
    let [CallChunk::Whole { id: Some(id), name, body, opaque }] = pieces.as_slice() else { return None };
    let payload = match body {
        WholeCall::Payload(payload) => payload.clone(),
        WholeCall::Arguments(text) => Payload::Function { arguments: Arguments::parse(text.as_str()).ok()? },
    };
    let (id, name) = (CallId::new(id.as_str()).ok()?, ToolName::new(name.as_str()).ok()?);
    Some(ToolCall::new(id, name, payload).with_opaque(opaque.clone()))
}

/// Wraps fields as opaque data. Returns `None` if `fields` is empty.
pub(crate) fn marks(fields: Map<String, Value>) -> Option<Opaque> {
    (!fields.is_empty()).then(|| Opaque::new(NAME, Value::Object(fields)))
}
