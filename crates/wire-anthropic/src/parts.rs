//! Encodes the parts of messages as blocks of this format.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;
use windlass_protocol::{
    Content, File, FileSource, Image, ImageSource, Message, Part, Payload, Reasoning, ResultStatus, ToolCall,
    ToolResult,
};
use windlass_wire::EncodeError;

use crate::base64;
use crate::marks;
use crate::media::media_refusal;
use crate::names::{BLOCK_FIELD, NAME, encode_error, is_legal, is_legal_name};
use crate::request::{KnownBlock, ResultBlock, WireBlock, WireResult, WireSource};

/// Encodes the parts of a message.
pub(crate) fn blocks(message: &Message) -> Result<Vec<WireBlock<'_>>, EncodeError> {
    let mut blocks = Vec::with_capacity(message.parts.len());
    for part in &message.parts {
        if let Some(what) = media_refusal(message.role, part) {
            return Err(encode_error(what));
        }
        let (block, opaque) = match part {
            // The API refuses a text without a visible character.
            Part::Text(text) if text.text.trim().is_empty() => continue,
            Part::Text(text) => (KnownBlock::Text { text: Cow::Borrowed(&text.text) }, text.opaque.as_ref()),
            Part::Image(image) => (KnownBlock::Image { source: source(image)? }, image.opaque.as_ref()),
            Part::File(file) => (document(file)?, file.opaque.as_ref()),
            Part::Reasoning(reasoning) => match thoughts(reasoning) {
                Some(block) => (block, None),
                None => continue,
            },
            Part::Call(call) => (wire_call(call)?, call.opaque.as_ref()),
            Part::Result(result) => {
                let more = marks::block(result.opaque.as_ref());
                let block = wire_result(result)?;
                blocks.push(WireBlock::Known { block, more, cache_control: None });
                blocks.extend(pictures_beside(result)?);
                continue;
            }
            Part::Unknown(unknown) if unknown.wire == NAME => {
                blocks.extend(unknown.value.get(BLOCK_FIELD).map(WireBlock::Raw));
                continue;
            }
            Part::Unknown(_) => continue,
            _ => return Err(encode_error("a part of a newer kind")),
        };
        blocks.push(WireBlock::Known { block, more: marks::block(opaque), cache_control: None });
    }
    Ok(blocks)
}

/// Returns true if at least one part of an answer is encoded.
pub(crate) fn has_blocks(message: &Message) -> bool {
    message.parts.iter().any(|part| match part {
        Part::Text(text) => !text.text.trim().is_empty(),
        Part::Reasoning(reasoning) => thoughts(reasoning).is_some(),
        Part::Unknown(unknown) => unknown.wire == NAME && unknown.value.get(BLOCK_FIELD).is_some(),
        _ => true,
    })
}

/// Encodes thinking that has this API's signature or data. Other thinking is left out: the API refuses
/// thinking without a signature, and the opaque data of another provider has no meaning for it (RULES P2).
fn thoughts(reasoning: &Reasoning) -> Option<KnownBlock<'_>> {
    let opaque = reasoning.opaque.as_ref()?.for_wire(NAME)?;
    let field = |name| opaque.get(name).and_then(Value::as_str);
    match field("data") {
        Some(data) => Some(KnownBlock::RedactedThinking { data }),
        None => Some(KnownBlock::Thinking { thinking: &reasoning.text, signature: field("signature")? }),
    }
}

fn wire_call(call: &ToolCall) -> Result<KnownBlock<'_>, EncodeError> {
    // A call of another provider's form (free text, local shell) is encoded as a function call (RULES P2).
    let input = match &call.payload {
        Payload::Function { arguments } => Cow::Borrowed(serde_json::from_str(arguments.as_str())?),
        other => Cow::Owned(RawValue::from_string(other.as_arguments().as_str().to_owned())?),
    };
    let opaque = call.opaque.as_ref().and_then(|opaque| opaque.for_wire(NAME));
    Ok(KnownBlock::ToolUse {
        id: wire_id(call.id.as_str()),
        name: history_name(call.name.as_str()),
        input,
        caller: opaque.and_then(|opaque| opaque.get("caller")),
    })
}

fn wire_result(result: &ToolResult) -> Result<KnownBlock<'_>, EncodeError> {
    let given = |name| result.opaque.as_ref()?.for_wire(NAME)?.get(name);
    // An error that a client marked has only the flag `is_error`; do not add a status to its text.
    let text = if given(marks::IS_ERROR).is_some() {
        let plain = ToolResult::new(result.call.clone(), ResultStatus::Ok, result.content.clone());
        plain.with_advice(result.advice.clone()).wire_text()
    } else {
        result.wire_text()
    };
    let content = if let Some(list) = given(marks::CONTENT) {
        WireResult::Raw(list)
    } else if result.images().next().is_none() || has_pictures_beside(result) {
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

/// Returns true if the images of a result have to follow the results of their message. The API: "all content
/// must be type `text` if `is_error` is true". A content list that a client wrote is sent unchanged.
fn has_pictures_beside(result: &ToolResult) -> bool {
    let is_given = || {
        result.opaque.as_ref().is_some_and(|opaque| {
            opaque.for_wire(NAME).is_some_and(|fields| fields.get(marks::CONTENT).is_some())
        })
    };
    !result.status.is_ok() && !is_given()
}

/// Encodes the images of a failed result, preceded by a text that names the call (RULES R8). The encoder
/// sorts results before all other blocks, so the images follow all results of the message.
fn pictures_beside(result: &ToolResult) -> Result<Vec<WireBlock<'_>>, EncodeError> {
    if !has_pictures_beside(result) || result.images().next().is_none() {
        return Ok(Vec::new());
    }
    let id = wire_id(result.call.as_str());
    let words = format!("The result of {id} has these images:");
    let mut blocks = vec![WireBlock::from_known(KnownBlock::Text { text: words.into() })];
    for image in result.images() {
        blocks.push(WireBlock::from_known(KnownBlock::Image { source: source(image)? }));
    }
    Ok(blocks)
}

fn source(image: &Image) -> Result<WireSource<'_>, EncodeError> {
    match &image.source {
        ImageSource::Base64(data) => Ok(WireSource::Base64 { media_type: &image.media_type, data }),
        ImageSource::Url(url) => Ok(WireSource::Url { url }),
        _ => Err(encode_error("an image of a newer kind")),
    }
}

/// Encodes a document: a PDF as base64, a text document as its text, and an upload by its id.
fn document(file: &File) -> Result<KnownBlock<'_>, EncodeError> {
    let source = match &file.source {
        // The API: an uploaded picture belongs into an image block.
        FileSource::Id(id) if file.media_type.starts_with("image/") => {
            return Ok(KnownBlock::Image { source: WireSource::File { file_id: id } });
        }
        FileSource::Base64(data) if file.media_type == "application/pdf" => {
            WireSource::Base64 { media_type: &file.media_type, data }
        }
        FileSource::Base64(data) if file.media_type.starts_with("text/") => {
            let Some(data) = base64::decode_text(data) else {
                return Err(encode_error(format!("a document of {} that is not text", file.media_type)));
            };
            WireSource::Text { media_type: "text/plain", data }
        }
        FileSource::Base64(_) => return Err(encode_error(format!("a document of {}", file.media_type))),
        FileSource::Url(url) => WireSource::Url { url },
        FileSource::Id(id) => WireSource::File { file_id: id },
        _ => return Err(encode_error("a document of a newer kind")),
    };
    Ok(KnownBlock::Document { source, title: file.name.as_deref() })
}

/// Returns an id that the API accepts. An illegal id is cut to 40 characters, its illegal characters become
/// `_`, and a hash of the original is appended. So one id has the same encoding in every turn, and different
/// ids stay different (RULES P1, N6).
fn wire_id(id: &str) -> Cow<'_, str> {
    if id.bytes().all(is_legal) {
        return Cow::Borrowed(id);
    }
    let legal: String =
        id.chars().take(40).map(|character| if is_legal_char(character) { character } else { '_' }).collect();
    Cow::Owned(format!("{legal}_{:016x}", fnv1a(id)))
}

/// Replaces the characters of a call's name that the API refuses by `_`, so that a name that a model invented
/// cannot block the conversation.
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

/// Hashes `text` with FNV-1a (64 bits), which gives the same value in every process.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}
