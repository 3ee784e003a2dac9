//! Results of a round of calls, in the order of the calls: the API matches them by name and order.

use std::borrow::Cow;

use serde_json::Value;
use windlass_protocol::{Content, Image, ImageSource, Message, Part, ToolCall, ToolResult};
use windlass_wire::EncodeError;

use crate::call::ID;
use crate::encode::unsupported;
use crate::request::{
    PartKind, WireBlob, WireContent, WireFile, WirePart, WireResponse, WireResult, WireResultPart,
};
use crate::tools::history_name;
use crate::wire::NAME;

/// The calls that wait for results, and what has come for them.
#[derive(Debug, Default)]
pub(crate) struct Round<'a> {
    calls: Vec<&'a ToolCall>,
    results: Vec<(usize, WirePart<'a>)>,
    /// What follows the results in the same content: their pictures, and words of the results' message.
    beside: Vec<WirePart<'a>>,
}

/// Where the pictures of a result go (RULES R8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pictures {
    Inside,
    Beside,
}

impl<'a> Round<'a> {
    /// The calls of the assistant's message are now waited for.
    pub(crate) fn begin(&mut self, message: &'a Message) {
        self.calls = message.calls().collect();
    }

    /// Takes the results of a message.
    pub(crate) fn take(&mut self, message: &'a Message, pictures: Pictures) -> Result<(), EncodeError> {
        for part in &message.parts {
            if let Part::Result(result) = part {
                self.result(result, pictures)?;
            }
        }
        Ok(())
    }

    /// Takes what stands beside the results in their message.
    pub(crate) fn take_beside(&mut self, part: WirePart<'a>) {
        self.beside.push(part);
    }

    /// The content of the round that has ended, if there is one.
    pub(crate) fn end(&mut self) -> Option<WireContent<'a>> {
        let mut results = std::mem::take(&mut self.results);
        results.sort_by_key(|(position, _)| *position);
        let mut parts: Vec<WirePart<'a>> = results.into_iter().map(|(_, part)| part).collect();
        parts.append(&mut self.beside);
        (!parts.is_empty()).then_some(WireContent { role: "user", parts })
    }

    fn result(&mut self, result: &'a ToolResult, pictures: Pictures) -> Result<(), EncodeError> {
        let found = self.calls.iter().enumerate().find(|(_, call)| call.id == result.call);
        let Some((position, call)) = found else {
            let what = format!("the result for {} follows no call", result.call);
            return Err(EncodeError::Conversation { what });
        };
        let name = history_name(call.name.as_str());
        let opaque = call.opaque.as_ref().and_then(|opaque| opaque.of(NAME));
        let id = opaque.and_then(|opaque| opaque.get(ID)).and_then(Value::as_str);
        let mut parts = Vec::new();
        let mut beside = Vec::new();
        for image in result.images() {
            match (&image.source, pictures) {
                (ImageSource::Base64(data), Pictures::Inside) => {
                    parts.push(WireResultPart::InlineData(blob(image, data)?));
                }
                _ => beside.push(WirePart::plain(picture(image)?)),
            }
        }
        if !beside.is_empty() {
            let words = format!("The result of {name} has these images:");
            self.beside.push(WirePart::plain(PartKind::Text(Cow::Owned(words))));
            self.beside.append(&mut beside);
        }
        let wire = WireResult { id, name, response: response(result), parts };
        self.results.push((position, WirePart::plain(PartKind::FunctionResponse(wire))));
        Ok(())
    }
}

/// A structured value is the function's own return value; words go into the field that the API has for them.
fn response(result: &ToolResult) -> WireResponse<'_> {
    match (result.status.is_ok(), result.content.as_slice()) {
        (true, [Content::Structured { value: object @ Value::Object(_) }]) => WireResponse::Object(object),
        (true, [Content::Structured { value }]) => WireResponse::Value { output: value },
        (true, _) => WireResponse::Output { output: result.wire_text() },
        (false, _) => WireResponse::Error { error: result.wire_text() },
    }
}

/// A picture, or any other file: the media type says what it is.
pub(crate) fn picture(image: &Image) -> Result<PartKind<'_>, EncodeError> {
    match &image.source {
        ImageSource::Base64(data) => Ok(PartKind::InlineData(blob(image, data)?)),
        ImageSource::Url(url) => {
            Ok(PartKind::FileData(WireFile { mime_type: &image.media_type, file_uri: url }))
        }
        _ => Err(unsupported("an image of a newer kind")),
    }
}

/// The API does not guess what bytes are.
fn blob<'a>(image: &'a Image, data: &'a str) -> Result<WireBlob<'a>, EncodeError> {
    if image.media_type.is_empty() {
        return Err(unsupported("bytes without a media type"));
    }
    Ok(WireBlob { mime_type: &image.media_type, data })
}
