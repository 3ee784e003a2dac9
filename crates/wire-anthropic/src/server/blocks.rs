//! Decodes a client's content blocks into parts.
//!
//! Fields of a block that this crate does not interpret are kept on its part (`crate::marks`); blocks of
//! unknown type are kept whole.

use serde_json::{Map, Value, json};
use windlass_protocol::{
    Arguments, CallId, Content, File, Image, Opaque, Part, Reasoning, ResultStatus, Text, ToolCall, ToolName,
    ToolResult, Unknown,
};
use windlass_wire::{Fields, RequestError};

use crate::base64;
use crate::marks;
use crate::names::{BLOCK_FIELD, NAME};

/// Takes a field that holds a string or a list of blocks.
pub(crate) fn read(fields: &mut Fields<'_>, name: &str) -> Result<Vec<Part>, RequestError> {
    match fields.peek(name).map(|raw| raw.get().starts_with('[')) {
        None => Ok(Vec::new()),
        Some(true) => {
            let blocks = fields.list(name)?.into_iter().flatten();
            blocks.map(|(place, raw)| part(Fields::parse(place, raw.get())?, raw.get())).collect()
        }
        Some(false) => match fields.text(name) {
            Ok(text) => Ok(text.filter(|text| !text.is_empty()).map(Part::text).into_iter().collect()),
            Err(_) => Err(fields.wrong(name, "expected a text or a list of blocks")),
        },
    }
}

fn part(mut fields: Fields<'_>, raw: &str) -> Result<Part, RequestError> {
    match fields.take_required_text("type")?.as_str() {
        "text" => {
            let text = Text::new(fields.take_required_text("text")?);
            Ok(Part::Text(text.with_opaque(marks::wrap_rest(fields.rest()))))
        }
        "image" => match image(&mut fields)? {
            Some(Part::Image(image)) => Ok(Part::Image(image.with_opaque(marks::wrap_rest(fields.rest())))),
            Some(Part::File(file)) => Ok(Part::File(file.with_opaque(marks::wrap_rest(fields.rest())))),
            _ => unknown(raw),
        },
        "document" => match document(&mut fields)? {
            Some(file) => {
                let file = file.with_name(fields.text("title")?);
                Ok(Part::File(file.with_opaque(marks::wrap_rest(fields.rest()))))
            }
            None => unknown(raw),
        },
        "thinking" => {
            let text = fields.text("thinking")?.unwrap_or_default();
            let signature = fields.text("signature")?.filter(|signature| !signature.is_empty());
            let opaque = signature
                .map(|signature| Opaque::new(NAME, json!({ "type": "thinking", "signature": signature })));
            Ok(Part::Reasoning(Reasoning::new(text, opaque)))
        }
        "redacted_thinking" => {
            let data = fields.take_required_text("data")?;
            let opaque = Opaque::new(NAME, json!({ "type": "redacted_thinking", "data": data }));
            Ok(Part::Reasoning(Reasoning::new("", Some(opaque))))
        }
        "tool_use" => Ok(Part::Call(call(fields)?)),
        "tool_result" => Ok(Part::Result(result(fields)?)),
        _ => unknown(raw),
    }
}

fn unknown(raw: &str) -> Result<Part, RequestError> {
    let block: Value = serde_json::from_str(raw)?;
    Ok(Part::Unknown(Unknown::new(NAME, json!({ BLOCK_FIELD: block }))))
}

/// Decodes the image of a block; an uploaded one is a file. Returns `None` for a source of a newer kind.
fn image(fields: &mut Fields<'_>) -> Result<Option<Part>, RequestError> {
    let Some(mut source) = fields.object("source")? else {
        return Err(fields.wrong("source", "expected an object"));
    };
    Ok(match source.take_required_text("type")?.as_str() {
        "base64" => {
            let media_type = source.take_required_text("media_type")?;
            Some(Part::Image(Image::base64(media_type, source.take_required_text("data")?)))
        }
        // A URL does not reveal its media type, and providers do not require one.
        "url" => Some(Part::Image(Image::url("image/*", source.take_required_text("url")?))),
        "file" => Some(Part::provider_file(source.take_required_text("file_id")?, "image/*")),
        _ => None,
    })
}

/// Decodes the document of a block. Returns `None` for a source that `File` cannot express, for example a
/// list of blocks.
fn document(fields: &mut Fields<'_>) -> Result<Option<File>, RequestError> {
    let Some(mut source) = fields.object("source")? else {
        return Err(fields.wrong("source", "expected an object"));
    };
    Ok(match source.take_required_text("type")?.as_str() {
        "base64" => {
            let media_type = source.take_required_text("media_type")?;
            Some(File::base64(media_type, source.take_required_text("data")?))
        }
        "text" => {
            let media_type = source.text("media_type")?.unwrap_or_else(|| "text/plain".to_owned());
            Some(File::base64(media_type, base64::encode(source.take_required_text("data")?.as_bytes())))
        }
        "url" => Some(File::url("application/pdf", source.take_required_text("url")?)),
        "file" => Some(File::from_upload("application/octet-stream", source.take_required_text("file_id")?)),
        _ => None,
    })
}

fn id(fields: &mut Fields<'_>, name: &str) -> Result<CallId, RequestError> {
    let text = fields.take_required_text(name)?;
    CallId::new(text).map_err(|error| fields.wrong(name, error.to_string()))
}

pub(crate) fn name(fields: &mut Fields<'_>) -> Result<ToolName, RequestError> {
    let text = fields.take_required_text("name")?;
    ToolName::new(text).map_err(|error| fields.wrong("name", error.to_string()))
}

fn call(mut fields: Fields<'_>) -> Result<ToolCall, RequestError> {
    let (id, name) = (id(&mut fields, "id")?, name(&mut fields)?);
    let text = fields.raw("input").map_or("{}", |raw| raw.get());
    let arguments = Arguments::parse(text).map_err(|error| fields.wrong("input", error.to_string()))?;
    Ok(ToolCall::function(id, name, arguments).with_opaque(marks::wrap_rest(fields.rest())))
}

fn result(mut fields: Fields<'_>) -> Result<ToolResult, RequestError> {
    let id = id(&mut fields, "tool_use_id")?;
    let failed = fields.flag("is_error")? == Some(true);
    let raw = fields.peek("content").filter(|raw| raw.get().starts_with('['));
    let parts = read(&mut fields, "content")?;
    let is_plain = matches!(parts.as_slice(), [] | [Part::Text(Text { opaque: None, .. })]);
    let mut status = ResultStatus::Ok;
    let mut contents = Vec::with_capacity(parts.len());
    for (position, part) in parts.into_iter().enumerate() {
        contents.push(match part {
            Part::Text(Text { text, .. }) if failed && position == 0 => {
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
    let mut marks = Map::new();
    if failed && status.is_ok() {
        // The client marked an error, but the text does not name one of our statuses.
        status = ResultStatus::Error;
        marks.insert(marks::IS_ERROR.to_owned(), true.into());
    }
    if let Some(raw) = raw.filter(|_| !is_plain) {
        marks.insert(marks::CONTENT.to_owned(), serde_json::from_str(raw.get())?);
    }
    let rest = fields.rest();
    if !rest.is_empty() {
        marks.insert(marks::BLOCK.to_owned(), Value::Object(rest));
    }
    let opaque = (!marks.is_empty()).then(|| Opaque::new(NAME, Value::Object(marks)));
    Ok(ToolResult::new(id, status, contents).with_opaque(opaque))
}
