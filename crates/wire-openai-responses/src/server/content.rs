//! Decodes the content of a message: text, images, documents.

use serde_json::value::RawValue;
use serde_json::{Map, json};
use windlass_protocol::{File, Image, Message, Part, Role, Text, Unknown};
use windlass_wire::{Fields, RequestError};

use crate::names::NAME;
use crate::server::messages::marks;
use crate::server::request::value;
use crate::spoken::REFUSAL_FIELD;
use crate::words::{JOINED, PART};

/// Decodes a message. Its fields other than the content are stored on its parts.
pub(crate) fn decode_message(place: &str, raw: &RawValue) -> Result<Message, RequestError> {
    let mut fields = Fields::parse(place, raw.get())?;
    fields.raw("type");
    let word = fields.take_required_text("role")?;
    let role = match word.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" | "developer" => Role::System,
        _ => return Err(fields.wrong("role", format!("the role {word:?} is not known"))),
    };
    let content = fields.peek("content").map(RawValue::get).unwrap_or_default();
    let (text, parts) = if content.starts_with('"') {
        (fields.text("content")?, Vec::new())
    } else if content.starts_with('[') {
        (None, fields.list("content")?.unwrap_or_default())
    } else {
        return Err(fields.wrong("content", "expected a text or a list of parts"));
    };
    let mut own = fields.rest();
    if word == "system" {
        own.insert("role".to_owned(), "system".into());
    }
    if let Some(text) = text {
        return Ok(Message::new(role, vec![Part::Text(Text::new(text).with_opaque(marks(own)))]));
    }
    let mut read = Vec::with_capacity(parts.len());
    for (position, (place, raw)) in parts.into_iter().enumerate() {
        read.push(part(&place, raw, role, speech(role, position, &own))?);
    }
    Ok(Message::new(role, read))
}

/// Returns the opaque fields for the part at this position: the first part gets all of the message's own
/// fields, and later parts of an answer get the mark that they belong to the same item.
fn speech(
    role: Role,
    position: usize,
    own: &Map<String, serde_json::Value>,
) -> Map<String, serde_json::Value> {
    match (position, role) {
        (0, _) => own.clone(),
        (_, Role::Assistant) => Map::from_iter([(JOINED.to_owned(), true.into())]),
        _ => Map::new(),
    }
}

/// Decodes a part of a message.
fn part(
    place: &str,
    raw: &RawValue,
    role: Role,
    mut own: Map<String, serde_json::Value>,
) -> Result<Part, RequestError> {
    let mut fields = Fields::parse(place, raw.get())?;
    Ok(match fields.take_required_text("type")?.as_str() {
        "input_text" | "output_text" => {
            let text = fields.take_required_text("text")?;
            let mut rest = fields.rest();
            if rest.get("annotations") == Some(&json!([])) {
                rest.remove("annotations");
            }
            if !rest.is_empty() {
                own.insert(PART.to_owned(), rest.into());
            }
            Part::Text(Text::new(text).with_opaque(marks(own)))
        }
        "refusal" if role == Role::Assistant => {
            Part::Unknown(Unknown::new(NAME, json!({ REFUSAL_FIELD: fields.take_required_text("refusal")? })))
        }
        "input_image" => image(fields)?,
        "input_file" => file(fields)?,
        _ => Part::Unknown(Unknown::new(NAME, value(place, raw)?)),
    })
}

/// Decodes an image: a URL, a data URL, or an upload.
pub(crate) fn image(mut fields: Fields<'_>) -> Result<Part, RequestError> {
    if fields.peek("detail").is_some_and(|detail| detail.get() == "\"auto\"") {
        fields.raw("detail");
    }
    if let Some(id) = fields.text("file_id")? {
        return Ok(Part::File(File::from_upload("image/*", id).with_opaque(marks(fields.rest()))));
    }
    let url = fields.take_required_text("image_url")?;
    let image = match data(&url) {
        Some((media_type, base64)) => Image::base64(media_type, base64),
        None => Image::url(media_type_of(&url), url),
    };
    Ok(Part::Image(image.with_opaque(marks(fields.rest()))))
}

/// Decodes a document: a data URL, a URL, or an upload.
fn file(mut fields: Fields<'_>) -> Result<Part, RequestError> {
    let name = fields.text("filename")?;
    let media_type = name.as_deref().map(media_type_of).unwrap_or_default();
    let file = match (fields.text("file_data")?, fields.text("file_url")?, fields.text("file_id")?) {
        (Some(url), ..) => match data(&url) {
            Some((media_type, base64)) => File::base64(media_type, base64),
            None => File::base64(media_type, url),
        },
        (None, Some(url), _) => File::url(media_type_of(&url), url),
        (None, None, Some(id)) => File::from_upload(media_type, id),
        (None, None, None) => {
            return Err(RequestError::shape(
                fields.place("file_data"),
                "a file has data, an address or an id",
            ));
        }
    };
    Ok(Part::File(file.with_name(name).with_opaque(marks(fields.rest()))))
}

/// Returns the media type and the base64 of a data URL.
fn data(url: &str) -> Option<(&str, &str)> {
    url.strip_prefix("data:")?.split_once(";base64,")
}

/// Returns the media type for the extension of a name, or an empty string if the extension is unknown.
fn media_type_of(name: &str) -> &'static str {
    let path = name.split(['?', '#']).next().unwrap_or(name);
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension.to_ascii_lowercase().as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "pdf" => "application/pdf",
        "txt" => "text/plain",
        "md" => "text/markdown",
        _ => "",
    }
}
