//! Decodes the results of calls.

use serde_json::{Map, Value, json};
use windlass_protocol::{CallId, Content, Image, ResultStatus, ToolResult};
use windlass_wire::{Fields, RequestError};

use crate::results::RESULT;
use crate::server::fields::{camel, list, value};
use crate::server::messages::opaque;

/// Decodes the return value of a function.
pub(crate) fn result(
    call: CallId,
    mut fields: Fields<'_>,
    mut marks: Map<String, Value>,
) -> Result<ToolResult, RequestError> {
    fields.raw("id");
    fields.raw("name");
    let response = fields.value("response")?.unwrap_or_else(|| json!({}));
    if !response.is_object() {
        return Err(fields.wrong("response", "expected an object"));
    }
    let (status, mut content) = decode_response(response);
    let mut parts = Vec::new();
    for (place, raw) in list(&mut fields, "parts")? {
        parts.push(value(&place, raw)?);
    }
    let pictures: Option<Vec<Content>> = parts.iter().map(picture).collect();
    let mut rest = Map::new();
    match pictures {
        Some(pictures) => content.extend(pictures),
        None => {
            rest.insert("parts".to_owned(), parts.into());
        }
    }
    rest.extend(fields.rest());
    if !rest.is_empty() {
        marks.insert(RESULT.to_owned(), rest.into());
    }
    Ok(ToolResult::new(call, status, content).with_opaque(opaque(marks)))
}

/// Decodes the response object. An object with only the text `output` or `error` is a text; any other object
/// is a structured value.
fn decode_response(response: Value) -> (ResultStatus, Vec<Content>) {
    let only = |name: &str| match response.as_object()?.get(name)? {
        Value::String(text) if !text.is_empty() && response.as_object()?.len() == 1 => Some(text.as_str()),
        _ => None,
    };
    if let Some(text) = only("output") {
        return (ResultStatus::Ok, vec![Content::text(text)]);
    }
    if let Some(text) = only("error") {
        return match ResultStatus::parse_prefix(text) {
            (ResultStatus::Ok | ResultStatus::Error, _) => (ResultStatus::Error, vec![Content::text(text)]),
            (status, "") => (status, vec![Content::text(text)]),
            (status, words) => (status, vec![Content::text(words)]),
        };
    }
    (ResultStatus::Ok, vec![Content::Structured { value: response }])
}

/// Decodes an image inside a result. Returns `None` if the part has another type or further fields.
fn picture(part: &Value) -> Option<Content> {
    let [(kind, blob)] = part.as_object()?.iter().collect::<Vec<_>>().try_into().ok()?;
    let blob = blob.as_object().filter(|blob| blob.len() == 2 && camel(kind) == "inlineData")?;
    let text = |name: &str| blob.iter().find(|(known, _)| camel(known) == name)?.1.as_str();
    let (media_type, data) = (text("mimeType")?, text("data")?);
    media_type.starts_with("image/").then(|| Content::Image(Image::base64(media_type, data)))
}
