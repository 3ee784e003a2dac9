//! Decodes the content of a client's message: a string, or a list of parts.

use serde_json::{Map, Value, json};
use windlass_protocol::{File, Image, Opaque, Part, Reasoning, Text, Unknown};
use windlass_wire::{Fields, RequestError};

use crate::marks;
use crate::names::NAME;
use crate::reasoning::Field;

/// The JSON form of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One string, a list of at most one part, or absent.
    Text,
    /// A list of several parts.
    Parts,
}

/// Takes a message's content.
pub(crate) fn read(fields: &mut Fields<'_>) -> Result<(Form, Vec<Part>), RequestError> {
    match fields.peek("content").map(|raw| raw.get().as_bytes().first().copied()) {
        None => Ok((Form::Text, Vec::new())),
        Some(Some(b'[')) => {
            let mut parts = Vec::new();
            for (place, raw) in fields.list("content")?.into_iter().flatten() {
                parts.push(part(Fields::parse(place, raw.get())?, raw.get())?);
            }
            let form = if parts.len() > 1 { Form::Parts } else { Form::Text };
            Ok((form, parts))
        }
        Some(_) => match fields.text("content") {
            Ok(text) => Ok((Form::Text, text.map(Part::text).into_iter().collect())),
            Err(_) => Err(fields.wrong("content", "expected a text or a list of parts")),
        },
    }
}

fn part(mut fields: Fields<'_>, raw: &str) -> Result<Part, RequestError> {
    let unknown = || -> Result<Part, RequestError> {
        let part: Value = serde_json::from_str(raw)?;
        Ok(Part::Unknown(Unknown::new(NAME, json!({ marks::PART: part }))))
    };
    let kind = fields.take_required_text("type")?;
    match kind.as_str() {
        "text" => {
            let text = fields.take_required_text("text")?;
            Ok(Part::Text(Text::new(text).with_opaque(wrap_groups([(marks::PART, fields.rest())]))))
        }
        "refusal" => {
            let refusal = fields.take_required_text("refusal")?;
            Ok(Part::Unknown(Unknown::new(NAME, json!({ "refusal": refusal }))))
        }
        "image_url" => {
            // Mistral also accepts a plain string here.
            if let Ok(Some(url)) =
                fields.peek("image_url").map(|raw| serde_json::from_str(raw.get())).transpose()
            {
                fields.raw("image_url");
                return Ok(Part::Image(image(url).with_opaque(wrap_groups([(marks::PART, fields.rest())]))));
            }
            let Some(mut address) = fields.object("image_url")? else {
                return Err(fields.wrong("image_url", "expected an object"));
            };
            let image = image(address.take_required_text("url")?);
            let opaque = wrap_groups([(marks::PART, fields.rest()), (marks::BODY, address.rest())]);
            Ok(Part::Image(image.with_opaque(opaque)))
        }
        "file" => match fields.object("file")? {
            Some(body) => file(body, fields, unknown),
            None => Err(fields.wrong("file", "expected an object")),
        },
        "input_audio" => {
            let Some(mut body) = fields.object("input_audio")? else {
                return Err(fields.wrong("input_audio", "expected an object"));
            };
            let media_type = format!("audio/{}", body.take_required_text("format")?);
            let file = File::base64(media_type, body.take_required_text("data")?);
            Ok(Part::File(
                file.with_opaque(wrap_groups([(marks::PART, fields.rest()), (marks::BODY, body.rest())])),
            ))
        }
        "thinking" if fields.peek("thinking").is_some() => Ok(thinking(&mut fields)?.unwrap_or(unknown()?)),
        _ => unknown(),
    }
}

fn file(
    mut body: Fields<'_>,
    fields: Fields<'_>,
    unknown: impl Fn() -> Result<Part, RequestError>,
) -> Result<Part, RequestError> {
    let name = body.text("filename")?;
    let file = match (body.text("file_id")?, body.text("file_data")?) {
        (Some(id), _) => File::from_upload("application/octet-stream", id),
        (None, Some(data)) => match data_url(&data) {
            Some((media_type, data)) => File::base64(media_type, data),
            // `OpenRouter` accepts a URL here, OpenAI does not. The empty opaque value permits the encoder to
            // send the URL back in this field.
            None if data.starts_with("http") => {
                let opaque = Some(Opaque::new(NAME, json!({})));
                return Ok(Part::File(
                    File::url("application/pdf", data).with_name(name).with_opaque(opaque),
                ));
            }
            None => return unknown(),
        },
        (None, None) => return unknown(),
    };
    let opaque = wrap_groups([(marks::PART, fields.rest()), (marks::BODY, body.rest())]);
    Ok(Part::File(file.with_name(name).with_opaque(opaque)))
}

/// Decodes Mistral's reasoning: one string, or a list of texts.
fn thinking(fields: &mut Fields<'_>) -> Result<Option<Part>, RequestError> {
    let value = fields.value("thinking")?.unwrap_or_default();
    let text = match &value {
        Value::String(text) => text.clone(),
        Value::Array(parts)
            if parts.iter().all(|part| part["type"] == "text" && part["text"].is_string()) =>
        {
            parts.iter().filter_map(|part| part["text"].as_str()).collect()
        }
        _ => return Ok(None),
    };
    let opaque = Opaque::new(NAME, json!({ "field": Field::Content.as_str() }));
    Ok(Some(Part::Reasoning(Reasoning::new(text, Some(opaque)))))
}

fn image(url: String) -> Image {
    match data_url(&url) {
        Some((media_type, data)) => Image::base64(media_type, data),
        // A URL does not reveal its media type, and providers do not require one.
        None => Image::url("image/*", url),
    }
}

fn data_url(url: &str) -> Option<(&str, &str)> {
    url.strip_prefix("data:")?.split_once(";base64,")
}

/// Wraps the groups that are not empty as opaque data of this format.
fn wrap_groups<const N: usize>(groups: [(&str, Map<String, Value>); N]) -> Option<Opaque> {
    let groups = groups.into_iter().filter(|(_, rest)| !rest.is_empty());
    let value: Map<String, Value> =
        groups.map(|(name, rest)| (name.to_owned(), Value::Object(rest))).collect();
    (!value.is_empty()).then(|| Opaque::new(NAME, Value::Object(value)))
}
