//! Encodes the parts of messages.

use std::borrow::Cow;

use serde_json::{Map, Value};
use windlass_protocol::{
    Content, File, FileSource, Image, ImageSource, Part, Payload, Role, Text, ToolCall, ToolResult,
};
use windlass_wire::EncodeError;

use crate::CallIds;
use crate::ids::wire_id;
use crate::marks;
use crate::media::{audio_format, media_refusal};
use crate::names::{NAME, encode_error, is_legal_name};
use crate::request::{
    KnownPart, WireAudio, WireCall, WireCallBody, WireCustom, WireFile, WireFunction, WireImage, WirePart,
};

fn wrap_known<'a>(part: KnownPart<'a>, more: Option<&'a Map<String, Value>>) -> WirePart<'a> {
    WirePart::Known { part, more }
}

/// Encodes a text. Returns `None` if it is empty.
pub(crate) fn words(text: &Text) -> Option<WirePart<'_>> {
    let part = KnownPart::Text { text: text.text.as_str().into() };
    (!text.text.is_empty()).then(|| wrap_known(part, marks::group(text.opaque.as_ref(), marks::PART)))
}

/// Encodes a part of a message that is not the assistant's. Returns `None` for a part that such a message
/// cannot hold.
pub(crate) fn encode_part(role: Role, part: &Part) -> Result<Option<WirePart<'_>>, EncodeError> {
    if let Some(what) = media_refusal(role, part) {
        return Err(encode_error(what));
    }
    Ok(match part {
        Part::Text(text) => words(text),
        Part::Image(image) => Some(picture(image)?),
        Part::File(file) => Some(document(file)?),
        Part::Unknown(unknown) if unknown.wire == NAME => unknown.value.get(marks::PART).map(WirePart::Raw),
        Part::Result(_) | Part::Unknown(_) | Part::Reasoning(_) => None,
        _ => return Err(encode_error("a call in a user message")),
    })
}

/// Appends the images of a result, after a text that names the call.
pub(crate) fn push_pictures<'a>(result: &'a ToolResult, beside: &mut Vec<WirePart<'a>>) {
    if result.images().next().is_none() {
        return;
    }
    let text = format!("The result of {} has these images:", result.call).into();
    beside.push(wrap_known(KnownPart::Text { text }, None));
    beside.extend(result.content.iter().filter_map(|content| match content {
        Content::Image(image) => picture(image).ok(),
        _ => None,
    }));
}

fn picture(image: &Image) -> Result<WirePart<'_>, EncodeError> {
    let url = match &image.source {
        ImageSource::Base64(data) => Cow::Owned(format!("data:{};base64,{data}", image.media_type)),
        ImageSource::Url(url) => Cow::Borrowed(url.as_str()),
        _ => return Err(encode_error("an image of a newer kind")),
    };
    let opaque = image.opaque.as_ref();
    let image_url = WireImage { url, more: marks::group(opaque, marks::BODY) };
    Ok(wrap_known(KnownPart::ImageUrl { image_url }, marks::group(opaque, marks::PART)))
}

fn document(file: &File) -> Result<WirePart<'_>, EncodeError> {
    let opaque = file.opaque.as_ref();
    let more = marks::group(opaque, marks::PART);
    let body = WireFile {
        filename: file.name.as_deref(),
        more: marks::group(opaque, marks::BODY),
        ..WireFile::default()
    };
    let file = match (&file.source, audio_format(&file.media_type)) {
        (FileSource::Base64(data), Some(format)) => {
            return Ok(wrap_known(KnownPart::InputAudio { input_audio: WireAudio { data, format } }, more));
        }
        (FileSource::Base64(data), None) => {
            let data = format!("data:{};base64,{data}", file.media_type);
            WireFile { file_data: Some(Cow::Owned(data)), ..body }
        }
        (FileSource::Id(id), _) => WireFile { file_id: Some(id), ..body },
        // Only a client of this format has a document at a URL.
        (FileSource::Url(url), _) => WireFile { file_data: Some(Cow::Borrowed(url.as_str())), ..body },
        _ => return Err(encode_error("a document of a newer kind")),
    };
    Ok(wrap_known(KnownPart::File { file }, more))
}

pub(crate) fn wire_call(form: CallIds, call: &ToolCall) -> WireCall<'_> {
    let opaque = call.opaque.as_ref();
    let more = marks::group(opaque, marks::BODY);
    let name = history_name(call.name.as_str());
    let body = match &call.payload {
        Payload::Function { arguments } => {
            // Arguments that were not a JSON object are sent back as the client wrote them.
            let text = opaque.and_then(|opaque| opaque.for_wire(NAME)?.get(marks::ARGUMENTS)?.as_str());
            let arguments = Cow::Borrowed(text.unwrap_or_else(|| arguments.as_str()));
            WireCallBody::Function { function: WireFunction { name, arguments, more } }
        }
        Payload::Custom { input } => WireCallBody::Custom { custom: WireCustom { name, input, more } },
        // A call of another provider's form, for example the local shell, is encoded as a function call
        // (RULES P2).
        other => {
            let arguments = Cow::Owned(other.as_arguments().as_str().to_owned());
            WireCallBody::Function { function: WireFunction { name, arguments, more } }
        }
    };
    WireCall { id: wire_id(form, call.id.as_str()), body, more: marks::group(opaque, marks::CALL) }
}

/// Replaces the characters of a call's name that the provider refuses by `_`, so that a name that a model
/// invented cannot block the conversation.
fn history_name(name: &str) -> Cow<'_, str> {
    if is_legal_name(name) {
        return Cow::Borrowed(name);
    }
    let legal = |character: char| {
        if character.is_ascii_alphanumeric() || matches!(character, '_' | '-') { character } else { '_' }
    };
    Cow::Owned(name.chars().take(64).map(legal).collect())
}
