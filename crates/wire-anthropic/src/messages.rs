//! The conversation as messages of this format.

use std::borrow::Cow;

use serde_json::Value;
use windlass_protocol::{
    Content, Image, ImageSource, Message, Part, Payload, Reasoning, Request, Role, ToolCall, ToolResult,
};
use windlass_wire::EncodeError;

use crate::block::BLOCK_FIELD;
use crate::encode::{is_legal, is_legal_name, unsupported};
use crate::request::{KnownBlock, ResultBlock, WireBlock, WireMessage, WireResult, WireSource};
use crate::wire::NAME;

pub(crate) fn wire_messages(request: &Request) -> Result<Vec<WireMessage<'_>>, EncodeError> {
    let mut messages: Vec<WireMessage<'_>> = Vec::with_capacity(request.messages.len());
    for (position, message) in request.messages.iter().enumerate() {
        let role = match message.role {
            Role::Assistant => "assistant",
            // The API has no developer inside the conversation; a user's place is the lowest it can take.
            Role::User | Role::Tool | Role::System => "user",
            _ => return Err(unsupported(format!("the role of message {position}"))),
        };
        let content = blocks(message)?;
        if content.is_empty() {
            if role == "assistant" {
                continue;
            }
            let what = format!("message {position} has nothing to say");
            return Err(EncodeError::Conversation { what });
        }
        // The API wants the two speakers in turn.
        match messages.last_mut() {
            Some(last) if last.role == role => last.content.extend(content),
            _ => messages.push(WireMessage { role, content }),
        }
    }
    for message in messages.iter_mut().filter(|message| message.role == "user") {
        // The API wants all results of a round in one message, before everything else.
        message.content.sort_by_key(|block| !is_result(block));
    }
    Ok(messages)
}

fn is_result(block: &WireBlock<'_>) -> bool {
    matches!(block, WireBlock::Known(KnownBlock::ToolResult { .. }))
}

fn blocks(message: &Message) -> Result<Vec<WireBlock<'_>>, EncodeError> {
    let mut blocks = Vec::with_capacity(message.parts.len());
    for part in &message.parts {
        match part {
            // The API refuses a text without a visible character.
            Part::Text(text) if text.text.trim().is_empty() => {}
            Part::Text(text) => blocks.push(WireBlock::Known(KnownBlock::Text { text: &text.text })),
            Part::Image(_) if message.role == Role::Assistant => {
                return Err(unsupported("an image in an assistant message"));
            }
            Part::Image(image) => {
                blocks.push(WireBlock::Known(KnownBlock::Image { source: source(image)? }));
            }
            Part::Reasoning(reasoning) => blocks.extend(thoughts(reasoning).map(WireBlock::Known)),
            Part::Call(call) => blocks.push(WireBlock::Known(wire_call(call)?)),
            Part::Result(result) => blocks.push(WireBlock::Known(wire_result(result)?)),
            Part::Unknown(unknown) if unknown.wire == NAME => {
                blocks.extend(unknown.value.get(BLOCK_FIELD).map(WireBlock::Raw));
            }
            Part::Unknown(_) => {}
            _ => return Err(unsupported("a part of a newer kind")),
        }
    }
    Ok(blocks)
}

/// Thoughts go back with their signature or not at all: the API refuses them unsigned, and another
/// provider's mean nothing to it (RULES P2).
fn thoughts(reasoning: &Reasoning) -> Option<KnownBlock<'_>> {
    let opaque = reasoning.opaque.as_ref()?.of(NAME)?;
    let field = |name| opaque.get(name).and_then(Value::as_str);
    match field("data") {
        Some(data) => Some(KnownBlock::RedactedThinking { data }),
        None => Some(KnownBlock::Thinking { thinking: &reasoning.text, signature: field("signature")? }),
    }
}

fn wire_call(call: &ToolCall) -> Result<KnownBlock<'_>, EncodeError> {
    let Payload::Function { arguments } = &call.payload else {
        return Err(unsupported(format!("the form of the call {}", call.id)));
    };
    let opaque = call.opaque.as_ref().and_then(|opaque| opaque.of(NAME));
    Ok(KnownBlock::ToolUse {
        id: wire_id(call.id.as_str()),
        name: history_name(call.name.as_str()),
        input: serde_json::from_str(arguments.as_str())?,
        caller: opaque.and_then(|opaque| opaque.get("caller")),
    })
}

fn wire_result(result: &ToolResult) -> Result<KnownBlock<'_>, EncodeError> {
    let text = result.wire_text();
    let content = if result.images().next().is_none() {
        WireResult::Text(text)
    } else {
        let mut blocks = vec![ResultBlock::Text { text }];
        for content in &result.content {
            if let Content::Image(image) = content {
                blocks.push(ResultBlock::Image { source: source(image)? });
            }
        }
        WireResult::Blocks(blocks)
    };
    let tool_use_id = wire_id(result.call.as_str());
    Ok(KnownBlock::ToolResult { tool_use_id, content, is_error: !result.status.is_ok() })
}

fn source(image: &Image) -> Result<WireSource<'_>, EncodeError> {
    match &image.source {
        ImageSource::Base64(data) => Ok(WireSource::Base64 { media_type: &image.media_type, data }),
        ImageSource::Url(url) => Ok(WireSource::Url { url }),
        _ => Err(unsupported("an image of a newer kind")),
    }
}

/// An id that the API takes. An id that has to be changed always gets a hash of what it was, so that the same
/// id is the same text in every turn, and no two are the same text (RULES P1, N6).
fn wire_id(id: &str) -> Cow<'_, str> {
    if id.bytes().all(is_legal) {
        return Cow::Borrowed(id);
    }
    let legal: String =
        id.chars().take(40).map(|character| if is_legal_char(character) { character } else { '_' }).collect();
    Cow::Owned(format!("{legal}_{:016x}", fnv1a(id)))
}

/// A name that a model made up must not stop the conversation, so what the API refuses becomes `_`.
fn history_name(name: &str) -> Cow<'_, str> {
    if is_legal_name(name) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(
        name.chars()
            .take(128)
            .map(|character| if is_legal_char(character) { character } else { '_' })
            .collect(),
    )
}

fn is_legal_char(character: char) -> bool {
    u8::try_from(character).is_ok_and(is_legal)
}

/// FNV-1a, 64 bits: small, and the same in every process.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}
