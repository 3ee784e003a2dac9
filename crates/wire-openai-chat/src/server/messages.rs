//! Decodes a client's messages.
//!
//! Fields of a message or a part that this crate does not interpret are kept on the part, in the opaque data
//! of this format (`crate::marks`), and are sent back from there.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use windlass_protocol::{
    Arguments, CallId, Content, Message, Opaque, Part, Payload, Reasoning, ResultStatus, Role, Text,
    ToolCall, ToolResult, Unknown,
};
use windlass_wire::{Fields, RequestError};

use crate::marks;
use crate::names::NAME;
use crate::reasoning::Field;
use crate::server::content;
use crate::server::tools;

type Items<'a> = Vec<(String, &'a RawValue)>;

/// Decodes the messages. Returns the system prompt separately if the conversation begins with a plain one.
pub(crate) fn read(items: Items<'_>) -> Result<(Option<String>, Vec<Message>), RequestError> {
    let (mut system, mut messages) = (None, Vec::<Message>::new());
    for (position, (place, raw)) in items.into_iter().enumerate() {
        let mut fields = Fields::parse(place, raw.get())?;
        let role = fields.take_required_text("role")?;
        let message = match role.as_str() {
            "system" | "developer" => {
                let mut message = decode_message(Role::System, &mut fields)?;
                if role == "developer" {
                    marks::set(&mut message, marks::ROLE, role.into());
                }
                message
            }
            "user" => decode_message(Role::User, &mut fields)?,
            "assistant" => assistant(&mut fields)?,
            "tool" => Message::new(Role::Tool, vec![Part::Result(result(&mut fields)?)]),
            _ => return Err(fields.wrong("role", "expected system, developer, user, assistant or tool")),
        };
        let message = with_rest(message, fields.rest());
        match (message.role, message.parts.as_slice(), messages.last_mut()) {
            (Role::System, [Part::Text(text)], _) if position == 0 && text.opaque.is_none() => {
                system = Some(text.text.clone());
            }
            // This format has one message for each result; merge them.
            (Role::Tool, _, Some(last)) if last.role == Role::Tool => last.parts.extend(message.parts),
            _ => messages.push(message),
        }
    }
    Ok((system, messages))
}

/// Stores the remaining fields of a message on its first part.
fn with_rest(mut message: Message, rest: Map<String, Value>) -> Message {
    if !rest.is_empty() {
        marks::set(&mut message, marks::MESSAGE, Value::Object(rest));
    }
    message
}

fn decode_message(role: Role, fields: &mut Fields<'_>) -> Result<Message, RequestError> {
    let (form, parts) = content::read(fields)?;
    let mut message = Message::new(role, parts);
    if form == content::Form::Parts && role != Role::User {
        marks::set(&mut message, marks::CONTENT, "parts".into());
    }
    Ok(message)
}

fn assistant(fields: &mut Fields<'_>) -> Result<Message, RequestError> {
    let mut parts = thoughts(fields)?;
    let (form, mut words) = content::read(fields)?;
    // Drop empty text: a message with calls often has `""` as its content.
    words.retain(|part| !matches!(part, Part::Text(text) if text.text.is_empty() && text.opaque.is_none()));
    parts.extend(words);
    if let Some(refusal) = fields.text("refusal")?.filter(|refusal| !refusal.is_empty()) {
        parts.push(Part::Unknown(Unknown::new(NAME, json!({ "refusal": refusal }))));
    }
    for (place, raw) in fields.list("tool_calls")?.into_iter().flatten() {
        parts.push(Part::Call(call(Fields::parse(place, raw.get())?)?));
    }
    let mut message = Message::assistant(parts);
    if form == content::Form::Parts {
        marks::set(&mut message, marks::CONTENT, "parts".into());
    }
    Ok(message)
}

fn thoughts(fields: &mut Fields<'_>) -> Result<Vec<Part>, RequestError> {
    let newer = fields.text("reasoning_content")?.filter(|text| !text.is_empty());
    // In the body of a request `reasoning` is an object (`OpenRouter`, Groq); in a message it is always a
    // string.
    let older = fields.text("reasoning")?.filter(|text| !text.is_empty());
    let details = fields.value("reasoning_details")?.and_then(|details| match details {
        Value::Array(details) if !details.is_empty() => Some(details),
        _ => None,
    });
    let (field, text) = match (newer, &older) {
        (Some(text), _) => (Field::ReasoningContent, text),
        (None, Some(text)) => (Field::Reasoning, text.clone()),
        (None, None) => (Field::Reasoning, String::new()),
    };
    if text.is_empty() && details.is_none() {
        return Ok(Vec::new());
    }
    let mut opaque = Map::new();
    opaque.insert("field".to_owned(), field.as_str().into());
    if let (Field::ReasoningContent, Some(again)) = (field, older) {
        // Ollama sends the same reasoning in both fields.
        opaque.insert(Field::Reasoning.as_str().to_owned(), again.into());
    }
    opaque.extend(details.map(|details| ("reasoning_details".to_owned(), Value::Array(details))));
    Ok(vec![Part::Reasoning(Reasoning::new(text, Some(Opaque::new(NAME, Value::Object(opaque)))))])
}

fn id(fields: &mut Fields<'_>, name: &str) -> Result<CallId, RequestError> {
    let text = fields.take_required_text(name)?;
    CallId::new(text).map_err(|error| fields.wrong(name, error.to_string()))
}

fn call(mut fields: Fields<'_>) -> Result<ToolCall, RequestError> {
    let id = id(&mut fields, "id")?;
    let kind = fields.text("type")?.unwrap_or_else(|| "function".to_owned());
    let Some(mut body) = fields.object(&kind)? else {
        return Err(fields.wrong(&kind, "expected an object"));
    };
    let name = tools::name(&mut body)?;
    let mut marks = Map::new();
    let payload = match kind.as_str() {
        "function" => {
            let text = match body.raw("arguments") {
                // Mistral also accepts an object (RULES S6).
                Some(raw) => serde_json::from_str(raw.get()).unwrap_or_else(|_| raw.get().to_owned()),
                None => String::new(),
            };
            let arguments = Arguments::parse(text.as_str()).unwrap_or_else(|_| {
                // Keep invalid arguments of an earlier answer as they are.
                marks.insert(marks::ARGUMENTS.to_owned(), text.into());
                Arguments::default()
            });
            Payload::Function { arguments }
        }
        "custom" => Payload::Custom { input: body.text("input")?.unwrap_or_default() },
        _ => return Err(fields.wrong("type", "expected function or custom")),
    };
    let (inner, outer) = (body.rest(), fields.rest());
    for (name, rest) in [(marks::BODY, inner), (marks::CALL, outer)] {
        if !rest.is_empty() {
            marks.insert(name.to_owned(), Value::Object(rest));
        }
    }
    let opaque = (!marks.is_empty()).then(|| Opaque::new(NAME, Value::Object(marks)));
    Ok(ToolCall::new(id, name, payload).with_opaque(opaque))
}

fn result(fields: &mut Fields<'_>) -> Result<ToolResult, RequestError> {
    let id = id(fields, "tool_call_id")?;
    let raw = fields.peek("content").filter(|raw| raw.get().starts_with('['));
    let (_, parts) = content::read(fields)?;
    let mut status = ResultStatus::Ok;
    let mut contents = Vec::with_capacity(parts.len());
    for (position, part) in parts.into_iter().enumerate() {
        contents.push(match part {
            Part::Text(Text { text, .. }) if position == 0 => {
                let (named, words) = ResultStatus::parse_prefix(&text);
                status = named;
                Content::text(words)
            }
            Part::Text(Text { text, .. }) => Content::text(text),
            Part::Image(image) => Content::Image(image),
            Part::Unknown(unknown) => Content::Structured { value: unknown.value },
            other => Content::Structured { value: serde_json::to_value(other)? },
        });
    }
    // Keep a list unchanged: most servers accept only a string here.
    let opaque = raw.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
    let opaque = opaque.map(|content| Opaque::new(NAME, json!({ marks::CONTENT: content })));
    Ok(ToolResult::new(id, status, contents).with_opaque(opaque))
}
