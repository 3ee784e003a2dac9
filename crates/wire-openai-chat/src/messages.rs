//! Encodes the conversation as messages of this format.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Value};
use windlass_protocol::{History, Message, Part, Reasoning, Request, Role};
use windlass_wire::EncodeError;

use crate::ids::wire_id;
use crate::marks;
use crate::names::{NAME, encode_error};
use crate::parts::{encode_part, push_pictures, wire_call, words};
use crate::reasoning::Field;
use crate::request::{KnownPart, WireContent, WireMessage, WirePart, WireThought};
use crate::{CallIds, OpenAiChatOptions, Thoughts, ThoughtsField};

/// Returns the system prompt as the message before the conversation.
pub(crate) fn prompt<'a>(options: &OpenAiChatOptions, request: &'a Request) -> Option<WireMessage<'a>> {
    let system = request.system.as_deref().filter(|system| !system.is_empty())?;
    let content = Some(WireContent::Text(system.into()));
    Some(WireMessage { role: options.system_role.as_str(), content, ..WireMessage::default() })
}

/// Encodes a range of messages. The range holds whole rounds: an answer with all results of its calls.
pub(crate) fn wire_messages<'a>(
    options: &OpenAiChatOptions,
    all: &'a History,
    range: Range<usize>,
) -> Result<Vec<WireMessage<'a>>, EncodeError> {
    let mut messages = Vec::with_capacity(range.len());
    let system_role = options.system_role.as_str();
    // Images that results cannot hold in this format. They wait for the end of the round, because results
    // have to be contiguous.
    let mut beside = Vec::new();
    for (position, message) in all.iter().enumerate().take(range.end).skip(range.start) {
        results(options.call_ids, message, &mut messages, &mut beside);
        match message.role {
            Role::Tool => {
                for part in message.parts.iter().filter(|part| is_beside_results(part)) {
                    beside.extend(encode_part(message.role, part)?);
                }
            }
            Role::Assistant => {
                end_round(&mut beside, &mut messages);
                messages.extend(assistant(options, message)?);
            }
            Role::System => {
                end_round(&mut beside, &mut messages);
                messages.push(system(system_role, message)?.ok_or_else(|| silent(position))?);
            }
            Role::User => {
                // Join the user's text and the images of the previous round in one message.
                match user(message, std::mem::take(&mut beside))? {
                    Some(message) => messages.push(message),
                    None if message.parts.iter().any(|part| matches!(part, Part::Result(_))) => {}
                    None => return Err(silent(position)),
                }
            }
            _ => return Err(encode_error(format!("the role of message {position}"))),
        }
    }
    end_round(&mut beside, &mut messages);
    Ok(messages)
}

/// Returns true for a part of the results' message that is sent after them, in a message of the user.
fn is_beside_results(part: &Part) -> bool {
    matches!(part, Part::Text(_) | Part::Image(_) | Part::File(_))
}

/// Returns the fields of the message that this crate does not interpret.
fn further(message: &Message) -> Option<&Map<String, Value>> {
    marks::message(message, marks::MESSAGE).and_then(Value::as_object)
}

fn silent(position: usize) -> EncodeError {
    EncodeError::Conversation { what: format!("message {position} is empty") }
}

fn system<'a>(role: &'static str, message: &'a Message) -> Result<Option<WireMessage<'a>>, EncodeError> {
    let is_developer = marks::message(message, marks::ROLE).is_some_and(|role| role == "developer");
    let role = if is_developer { "developer" } else { role };
    let mut parts = Vec::with_capacity(message.parts.len());
    for part in message.parts.iter().filter(|part| !matches!(part, Part::Result(_))) {
        parts.extend(encode_part(message.role, part)?);
    }
    let content = content(parts, is_list(message));
    let more = further(message);
    Ok(content.map(|content| WireMessage { role, content: Some(content), more, ..WireMessage::default() }))
}

/// Returns true if a client sent the message's content as a list.
fn is_list(message: &Message) -> bool {
    marks::message(message, marks::CONTENT).is_some_and(|form| form == "parts")
}

/// Appends the images of the round's results as a user message (RULES R8).
fn end_round<'a>(beside: &mut Vec<WirePart<'a>>, messages: &mut Vec<WireMessage<'a>>) {
    if !beside.is_empty() {
        let content = Some(WireContent::Parts(std::mem::take(beside)));
        messages.push(WireMessage { role: "user", content, ..WireMessage::default() });
    }
}

fn results<'a>(
    form: CallIds,
    message: &'a Message,
    messages: &mut Vec<WireMessage<'a>>,
    beside: &mut Vec<WirePart<'a>>,
) {
    for part in &message.parts {
        let Part::Result(result) = part else { continue };
        let opaque = result.opaque.as_ref();
        // A content list that a client of this format wrote holds its images itself.
        let list = opaque.and_then(|opaque| opaque.for_wire(NAME)?.get(marks::CONTENT));
        messages.push(WireMessage {
            role: "tool",
            tool_call_id: Some(wire_id(form, result.call.as_str())),
            content: Some(
                list.map_or_else(|| WireContent::Text(result.wire_text().into()), WireContent::Raw),
            ),
            more: marks::group(opaque, marks::MESSAGE),
            ..WireMessage::default()
        });
        if list.is_none() {
            push_pictures(result, beside);
        }
    }
}

fn user<'a>(message: &'a Message, beside: Vec<WirePart<'a>>) -> Result<Option<WireMessage<'a>>, EncodeError> {
    let mut parts = beside;
    for part in &message.parts {
        parts.extend(encode_part(message.role, part)?);
    }
    // Send a single text as a string, which every server accepts.
    let content = match parts.as_slice() {
        [] => return Ok(None),
        [_] => content(parts, false),
        _ => Some(WireContent::Parts(parts)),
    };
    Ok(Some(WireMessage { role: "user", content, more: further(message), ..WireMessage::default() }))
}

/// Encodes the assistant's message. Returns `None` if it has no content for this format, for example only
/// another provider's reasoning.
fn assistant<'a>(
    options: &OpenAiChatOptions,
    message: &'a Message,
) -> Result<Option<WireMessage<'a>>, EncodeError> {
    let mut wire = WireMessage { role: "assistant", more: further(message), ..WireMessage::default() };
    let mut parts = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text(text) => parts.extend(words(text)),
            Part::Call(call) => wire.tool_calls.push(wire_call(options.call_ids, call)),
            Part::Reasoning(reasoning) => thoughts(options.thoughts_field, reasoning, &mut wire, &mut parts),
            Part::Unknown(unknown) if unknown.wire == NAME => {
                wire.refusal = wire.refusal.or_else(|| unknown.value.get("refusal").and_then(Value::as_str));
                parts.extend(unknown.value.get(marks::PART).map(WirePart::Raw));
            }
            Part::Unknown(_) => {}
            Part::Result(_) => return Err(encode_error("a result in an assistant message")),
            part => parts.extend(encode_part(message.role, part)?),
        }
    }
    // Send reasoning back only inside a round of calls. DeepSeek requires it there, and its documentation
    // states that it is ignored elsewhere. A stored message never gains or loses calls, so its bytes stay the
    // same in every turn (RULES P2, N6).
    if options.thoughts == Thoughts::Documented {
        wire.reasoning = None;
        if wire.tool_calls.is_empty() {
            wire.reasoning_content = None;
        }
    }
    wire.content = content(parts, is_list(message));
    let is_empty = wire.content.is_none() && wire.tool_calls.is_empty() && wire.refusal.is_none();
    // The id of a recording replaces the text.
    let has_audio = wire.more.is_some_and(|more| more.contains_key("audio"));
    Ok((!is_empty || has_audio).then_some(wire))
}

/// Returns the content as one string if it is only plain text, else as a list of parts.
fn content(parts: Vec<WirePart<'_>>, as_list: bool) -> Option<WireContent<'_>> {
    let is_plain =
        |part: &WirePart<'_>| matches!(part, WirePart::Known { part: KnownPart::Text { .. }, more: None });
    if !parts.is_empty() && (as_list || !parts.iter().all(is_plain)) {
        return Some(WireContent::Parts(parts));
    }
    let mut text = Cow::Borrowed("");
    for part in parts {
        match part {
            WirePart::Known { part: KnownPart::Text { text: first }, .. } if text.is_empty() => text = first,
            WirePart::Known { part: KnownPart::Text { text: more }, .. } => text.to_mut().push_str(&more),
            _ => {}
        }
    }
    (!text.is_empty()).then_some(WireContent::Text(text))
}

fn thoughts<'a>(
    field: ThoughtsField,
    reasoning: &'a Reasoning,
    wire: &mut WireMessage<'a>,
    parts: &mut Vec<WirePart<'a>>,
) {
    // Reasoning of another provider is left out, because no server documents a way to send it.
    let Some(opaque) = reasoning.opaque.as_ref().and_then(|opaque| opaque.for_wire(NAME)) else { return };
    let details = opaque.get("reasoning_details").and_then(Value::as_array);
    wire.reasoning_details.extend(details.into_iter().flatten());
    let text = reasoning.text.as_str();
    if text.is_empty() {
        return;
    }
    let came = opaque.get("field").and_then(Value::as_str).and_then(Field::from_name);
    let field = match field {
        ThoughtsField::AsCame => came,
        ThoughtsField::ReasoningContent => Some(Field::ReasoningContent),
        ThoughtsField::Reasoning => Some(Field::Reasoning),
        ThoughtsField::Content => Some(Field::Content),
    };
    match field {
        Some(Field::ReasoningContent) => {
            wire.reasoning_content.get_or_insert_default().to_mut().push_str(text);
            // Ollama sends the same reasoning in both fields.
            if let Some(again) = opaque.get(Field::Reasoning.as_str()).and_then(Value::as_str) {
                wire.reasoning.get_or_insert_default().to_mut().push_str(again);
            }
        }
        Some(Field::Reasoning) => wire.reasoning.get_or_insert_default().to_mut().push_str(text),
        Some(Field::Content) => {
            let part = KnownPart::Thinking { thinking: [WireThought { text }] };
            parts.push(WirePart::Known { part, more: None });
        }
        None => {}
    }
}
