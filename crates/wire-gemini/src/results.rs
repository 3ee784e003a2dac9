//! Encodes the results of a round in the order of the calls, because the API matches them by name and order.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;
use windlass_protocol::{
    CallId, Content, File, FileSource, Image, ImageSource, Message, Part, ResultStatus, ToolCall, ToolResult,
};
use windlass_wire::EncodeError;

use crate::call::ID;
use crate::names::{NAME, encode_error, rest};
use crate::request::{
    PartKind, Rest, WireBlob, WireContent, WireFile, WirePart, WireResponse, WireResult, WireResultPart,
};
use crate::tools::history_name;

/// The opaque field of a result that holds its uninterpreted fields. If it has `parts`, these are all images
/// of the result.
pub(crate) const RESULT: &str = "result";
/// The opaque field of an image or a file that holds the uninterpreted fields of its bytes.
pub(crate) const BLOB: &str = "blob";

/// The calls that wait for results, and the results so far.
#[derive(Debug, Default)]
pub(crate) struct Round<'a> {
    /// The first call of each id, with its position.
    calls: HashMap<&'a CallId, (usize, &'a ToolCall)>,
    results: Vec<(usize, WirePart<'a>)>,
    /// The parts after the results in the same content: their images, and the text of the results' message.
    beside: Vec<WirePart<'a>>,
}

/// The place of a result's images (RULES R8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pictures {
    Inside,
    Beside,
}

impl<'a> Round<'a> {
    /// Starts a round with the calls of the assistant's message.
    pub(crate) fn begin(&mut self, message: &'a Message) {
        self.calls.clear();
        for (position, call) in message.calls().enumerate() {
            self.calls.entry(&call.id).or_insert((position, call));
        }
    }

    /// Encodes the results of a message.
    pub(crate) fn take(&mut self, message: &'a Message, pictures: Pictures) -> Result<(), EncodeError> {
        for part in &message.parts {
            if let Part::Result(result) = part {
                self.result(result, pictures)?;
            }
        }
        Ok(())
    }

    /// Stores a part of the results' message that is not a result.
    pub(crate) fn take_beside(&mut self, part: WirePart<'a>) {
        self.beside.push(part);
    }

    /// Ends the round. Returns its content, if it has any.
    pub(crate) fn end(&mut self) -> Option<WireContent<'a>> {
        let mut results = std::mem::take(&mut self.results);
        results.sort_by_key(|(position, _)| *position);
        let mut parts: Vec<WirePart<'a>> = results.into_iter().map(|(_, part)| part).collect();
        parts.append(&mut self.beside);
        (!parts.is_empty()).then_some(WireContent { role: "user", parts })
    }

    fn result(&mut self, result: &'a ToolResult, pictures: Pictures) -> Result<(), EncodeError> {
        let Some(&(position, call)) = self.calls.get(&result.call) else {
            let what = format!("the result for {} follows no call", result.call);
            return Err(EncodeError::Conversation { what });
        };
        let name = history_name(call.name.as_str());
        let opaque = call.opaque.as_ref().and_then(|opaque| opaque.for_wire(NAME));
        let id = opaque.and_then(|opaque| opaque.get(ID)).and_then(Value::as_str);
        let mut parts = Vec::new();
        let mut beside = Vec::new();
        let rest = rest(result.opaque.as_ref(), RESULT);
        let images = result.images().filter(|_| !rest.contains_key("parts"));
        for image in images {
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
        let wire = WireResult { id, name, response: response(result), parts, rest };
        self.results.push((position, WirePart::plain(PartKind::FunctionResponse(wire))));
        Ok(())
    }
}

/// Encodes the return value: a structured value as it is, text in the field that the API has for it.
fn response(result: &ToolResult) -> WireResponse<'_> {
    // Images are encoded separately.
    let mut said = result.content.iter().filter(|content| !matches!(content, Content::Image(_)));
    match (result.status.is_ok(), said.next(), said.next()) {
        (true, Some(Content::Structured { value: object @ Value::Object(_) }), None)
            if result.advice.is_none() =>
        {
            WireResponse::Object(object)
        }
        (true, Some(Content::Structured { value }), None) if result.advice.is_none() => {
            WireResponse::Value { output: value }
        }
        (true, ..) => WireResponse::Output { output: result.wire_text() },
        // The field's name already marks the result as an error.
        (false, ..) if result.status == ResultStatus::Error => {
            let words = ToolResult::new(result.call.clone(), ResultStatus::Ok, result.content.clone());
            WireResponse::Error { error: words.with_advice(result.advice.clone()).wire_text() }
        }
        (false, ..) => WireResponse::Error { error: result.wire_text() },
    }
}

/// Encodes an image. The media type is sent, so it may also be another type of file.
pub(crate) fn picture(image: &Image) -> Result<PartKind<'_>, EncodeError> {
    match &image.source {
        ImageSource::Base64(data) => Ok(PartKind::InlineData(blob(image, data)?)),
        ImageSource::Url(url) => {
            let rest = rest(image.opaque.as_ref(), BLOB);
            Ok(PartKind::FileData(WireFile { mime_type: &image.media_type, file_uri: url, rest }))
        }
        _ => Err(encode_error("an image of a newer kind")),
    }
}

/// Encodes a document. An uploaded one is identified by a URI too.
pub(crate) fn file(file: &File) -> Result<PartKind<'_>, EncodeError> {
    let rest = rest(file.opaque.as_ref(), BLOB);
    match &file.source {
        FileSource::Base64(data) => Ok(PartKind::InlineData(bytes(&file.media_type, data, rest)?)),
        FileSource::Url(url) | FileSource::Id(url) => {
            Ok(PartKind::FileData(WireFile { mime_type: &file.media_type, file_uri: url, rest }))
        }
        _ => Err(encode_error("a file of a newer kind")),
    }
}

fn blob<'a>(image: &'a Image, data: &'a str) -> Result<WireBlob<'a>, EncodeError> {
    bytes(&image.media_type, data, rest(image.opaque.as_ref(), BLOB))
}

/// Encodes bytes. The API does not guess their media type, so it must not be empty.
fn bytes<'a>(mime_type: &'a str, data: &'a str, rest: Rest<'a>) -> Result<WireBlob<'a>, EncodeError> {
    if mime_type.is_empty() {
        return Err(encode_error("bytes without a media type"));
    }
    Ok(WireBlob { mime_type, data, rest })
}
