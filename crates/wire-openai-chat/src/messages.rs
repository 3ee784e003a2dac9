//! The conversation as messages of this format.

use std::borrow::Cow;

use serde_json::Value;
use windlass_protocol::{
    Content, Image, ImageSource, Message, Part, Payload, Reasoning, Request, Role, ToolCall, ToolResult,
};
use windlass_wire::EncodeError;

use crate::OpenAiChatOptions;
use crate::encode::{is_legal_name, unsupported};
use crate::reasoning::Field;
use crate::request::{
    WireCall, WireCallBody, WireContent, WireCustom, WireFunction, WireImage, WireMessage, WirePart,
    WireThought,
};
use crate::wire::NAME;

pub(crate) fn wire_messages<'a>(
    options: &OpenAiChatOptions,
    request: &'a Request,
) -> Result<Vec<WireMessage<'a>>, EncodeError> {
    let mut messages = Vec::with_capacity(request.messages.len().saturating_add(1));
    let system_role = options.system_role.as_str();
    if let Some(system) = request.system.as_deref().filter(|system| !system.is_empty()) {
        messages.push(text_message(system_role, system.into()));
    }
    // What results cannot hold in this format waits for the end of the round: results stand together.
    let mut beside = Vec::new();
    for (position, message) in request.messages.iter().enumerate() {
        results(message, &mut messages, &mut beside);
        match message.role {
            Role::Tool => beside.extend(message.parts.iter().filter_map(text_part)),
            Role::Assistant => {
                end_round(&mut beside, &mut messages);
                messages.extend(assistant(message)?);
            }
            Role::System => {
                end_round(&mut beside, &mut messages);
                messages.push(text_message(system_role, message.text().into()));
            }
            Role::User => {
                // A human's words and the pictures of the round before are one message.
                let content = user(message, std::mem::take(&mut beside))?;
                match content {
                    Some(content) => {
                        messages.push(WireMessage {
                            role: "user",
                            content: Some(content),
                            ..WireMessage::default()
                        });
                    }
                    None if message.parts.iter().any(|part| matches!(part, Part::Result(_))) => {}
                    None => {
                        let what = format!("message {position} has nothing to say");
                        return Err(EncodeError::Conversation { what });
                    }
                }
            }
            _ => return Err(unsupported(format!("the role of message {position}"))),
        }
    }
    end_round(&mut beside, &mut messages);
    Ok(messages)
}

fn text_message<'a>(role: &'static str, text: Cow<'a, str>) -> WireMessage<'a> {
    WireMessage { role, content: Some(WireContent::Text(text)), ..WireMessage::default() }
}

/// Pictures of results go into a user message after the results (RULES R8).
fn end_round<'a>(beside: &mut Vec<WirePart<'a>>, messages: &mut Vec<WireMessage<'a>>) {
    if !beside.is_empty() {
        let content = Some(WireContent::Parts(std::mem::take(beside)));
        messages.push(WireMessage { role: "user", content, ..WireMessage::default() });
    }
}

fn results<'a>(message: &'a Message, messages: &mut Vec<WireMessage<'a>>, beside: &mut Vec<WirePart<'a>>) {
    for part in &message.parts {
        let Part::Result(result) = part else { continue };
        messages.push(WireMessage {
            role: "tool",
            tool_call_id: Some(result.call.as_str()),
            content: Some(WireContent::Text(result.wire_text().into())),
            ..WireMessage::default()
        });
        pictures(result, beside);
    }
}

fn pictures<'a>(result: &'a ToolResult, beside: &mut Vec<WirePart<'a>>) {
    if result.images().next().is_none() {
        return;
    }
    beside.push(WirePart::Text { text: format!("The result of {} has these images:", result.call).into() });
    for content in &result.content {
        if let Content::Image(image) = content {
            beside.push(picture(image));
        }
    }
}

fn picture(image: &Image) -> WirePart<'_> {
    let url = match &image.source {
        ImageSource::Base64(data) => Cow::Owned(format!("data:{};base64,{data}", image.media_type)),
        ImageSource::Url(url) => Cow::Borrowed(url.as_str()),
        // The enum may grow; what has no address cannot be shown.
        _ => Cow::Borrowed(""),
    };
    WirePart::ImageUrl { image_url: WireImage { url } }
}

fn text_part(part: &Part) -> Option<WirePart<'_>> {
    match part {
        Part::Text(text) if !text.text.is_empty() => Some(WirePart::Text { text: text.text.as_str().into() }),
        _ => None,
    }
}

/// One text stays a plain string, which every server takes; more is a list.
fn user<'a>(message: &'a Message, beside: Vec<WirePart<'a>>) -> Result<Option<WireContent<'a>>, EncodeError> {
    let mut parts = beside;
    for part in &message.parts {
        match part {
            Part::Text(_) => parts.extend(text_part(part)),
            Part::Image(image) => parts.push(picture(image)),
            Part::Result(_) | Part::Unknown(_) | Part::Reasoning(_) => {}
            _ => return Err(unsupported("a call in a user message")),
        }
    }
    Ok(match parts.len() {
        0 => None,
        1 if matches!(parts.first(), Some(WirePart::Text { .. })) => {
            parts.pop().and_then(|part| match part {
                WirePart::Text { text } => Some(WireContent::Text(text)),
                _ => None,
            })
        }
        _ => Some(WireContent::Parts(parts)),
    })
}

/// The assistant's message, or none if nothing of it can be said here: thoughts of another provider alone.
fn assistant(message: &Message) -> Result<Option<WireMessage<'_>>, EncodeError> {
    let mut wire = WireMessage { role: "assistant", ..WireMessage::default() };
    let mut words = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text(_) => words.extend(text_part(part)),
            Part::Call(call) => wire.tool_calls.push(wire_call(call)?),
            Part::Reasoning(reasoning) => thoughts(reasoning, &mut wire, &mut words),
            Part::Unknown(unknown) if unknown.wire == NAME => {
                wire.refusal = wire.refusal.or_else(|| unknown.value.get("refusal").and_then(Value::as_str));
            }
            Part::Unknown(_) => {}
            Part::Image(_) => return Err(unsupported("an image in an assistant message")),
            _ => return Err(unsupported("a result in an assistant message")),
        }
    }
    // Thoughts go back inside a round of calls only: there DeepSeek demands them, and elsewhere it says that
    // they are ignored. Whether a message has calls never changes, so the bytes do not either (RULES P2, N6).
    if wire.tool_calls.is_empty() {
        wire.reasoning_content = None;
    }
    wire.content = content(words);
    let is_empty = wire.content.is_none() && wire.tool_calls.is_empty() && wire.refusal.is_none();
    Ok((!is_empty).then_some(wire))
}

fn content(parts: Vec<WirePart<'_>>) -> Option<WireContent<'_>> {
    if parts.iter().any(|part| matches!(part, WirePart::Thinking { .. })) {
        return Some(WireContent::Parts(parts));
    }
    let mut text = Cow::Borrowed("");
    for part in parts {
        match part {
            WirePart::Text { text: first } if text.is_empty() => text = first,
            WirePart::Text { text: more } => text.to_mut().push_str(&more),
            _ => {}
        }
    }
    (!text.is_empty()).then_some(WireContent::Text(text))
}

fn thoughts<'a>(reasoning: &'a Reasoning, wire: &mut WireMessage<'a>, words: &mut Vec<WirePart<'a>>) {
    // Thoughts of another provider are left out: nobody documents how to say them here.
    let Some(opaque) = reasoning.opaque.as_ref().and_then(|opaque| opaque.of(NAME)) else { return };
    let details = opaque.get("reasoning_details").and_then(Value::as_array);
    wire.reasoning_details.extend(details.into_iter().flatten());
    let field = opaque.get("field").and_then(Value::as_str);
    if field == Some(Field::ReasoningContent.as_str()) && !reasoning.text.is_empty() {
        wire.reasoning_content.get_or_insert_default().to_mut().push_str(&reasoning.text);
    } else if field == Some(Field::Content.as_str()) && !reasoning.text.is_empty() {
        words.push(WirePart::Thinking { thinking: [WireThought { text: &reasoning.text }] });
    }
}

fn wire_call(call: &ToolCall) -> Result<WireCall<'_>, EncodeError> {
    let name = history_name(call.name.as_str());
    let body = match &call.payload {
        Payload::Function { arguments } => {
            WireCallBody::Function { function: WireFunction { name, arguments: arguments.as_str() } }
        }
        Payload::Custom { input } => WireCallBody::Custom { custom: WireCustom { name, input } },
        _ => return Err(unsupported(format!("the form of the call {}", call.id))),
    };
    Ok(WireCall { id: call.id.as_str(), body })
}

/// A name that a model made up must not stop the conversation, so what the provider refuses becomes `_`.
fn history_name(name: &str) -> Cow<'_, str> {
    if is_legal_name(name) {
        return Cow::Borrowed(name);
    }
    let legal = |character: char| {
        if character.is_ascii_alphanumeric() || matches!(character, '_' | '-') { character } else { '_' }
    };
    Cow::Owned(name.chars().take(64).map(legal).collect())
}
