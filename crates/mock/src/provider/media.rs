//! Rules of providers for pictures, documents and recordings in messages.

use serde_json::Value;

use crate::render::Format;

/// Media types of pictures that OpenAI and Anthropic accept.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// Media types of pictures that Gemini accepts.
const GEMINI_IMAGES: [&str; 5] = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
/// Largest picture that Anthropic accepts, in bytes of base64.
const ANTHROPIC_IMAGE_BYTES: usize = 5 * 1024 * 1024;

/// A check of one part, whose error is the message of a refusal.
type Check = fn(&Value) -> Result<(), String>;

/// A part that a provider refuses.
#[derive(Debug)]
pub(super) struct RefusedPart {
    /// The place of the part in the request.
    pub(super) place: String,
    /// The message of the provider.
    pub(super) message: String,
}

/// Checks the pictures, documents and recordings of a conversation. The content of a picture is not decoded.
pub(super) fn check(format: Format, messages: &[Value]) -> Result<(), RefusedPart> {
    let (field, parts, check): (_, _, Check) = match format {
        Format::Chat => ("messages", "content", chat),
        Format::Responses => ("input", "content", responses),
        Format::Anthropic => ("messages", "content", anthropic),
        Format::Gemini => ("contents", "parts", gemini),
    };
    for (position, message) in messages.iter().enumerate() {
        let parts = message.get(parts).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (at, part) in parts.iter().enumerate() {
            let place = || format!("{field}[{position}].content[{at}]");
            check(part).map_err(|message| RefusedPart { place: place(), message })?;
        }
    }
    Ok(())
}

fn chat(part: &Value) -> Result<(), String> {
    match part["type"].as_str() {
        Some("image_url") => image_url(&part["image_url"]["url"]),
        Some("file") => {
            let file = &part["file"];
            if find_single_field(file, ["file_id", "file_data"])? == "file_id" {
                return Ok(());
            }
            // Chat Completions accepts no other documents; the Responses API does.
            match data_url(&file["file_data"])? {
                "application/pdf" => Ok(()),
                other => Err(format!("a file of {other}; only application/pdf is accepted")),
            }
        }
        Some("input_audio") => {
            let audio = &part["input_audio"];
            base64(&audio["data"])?;
            match audio["format"].as_str() {
                Some("wav" | "mp3") => Ok(()),
                other => Err(format!("the audio format {other:?} is not wav or mp3")),
            }
        }
        _ => Ok(()),
    }
}

fn responses(part: &Value) -> Result<(), String> {
    match part["type"].as_str() {
        Some("input_image") => match find_single_field(part, ["file_id", "image_url"])? {
            "image_url" => image_url(&part["image_url"]),
            _ => Ok(()),
        },
        Some("input_file") => match find_single_field(part, ["file_id", "file_data", "file_url"])? {
            "file_data" if !part["filename"].is_string() => Err("file_data needs a filename".to_owned()),
            "file_data" => data_url(&part["file_data"]).map(drop),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn anthropic(block: &Value) -> Result<(), String> {
    let source = &block["source"];
    let kind = source["type"].as_str().unwrap_or_default();
    let media_type = source["media_type"].as_str().unwrap_or_default();
    match (block["type"].as_str(), kind) {
        (Some("tool_result"), _) => {
            let blocks = block["content"].as_array().map(Vec::as_slice).unwrap_or_default();
            blocks.iter().try_for_each(anthropic)
        }
        (Some("image"), "base64") if !IMAGES.contains(&media_type) => {
            Err(format!("source.base64.media_type: {media_type:?} is not one of {}", IMAGES.join(", ")))
        }
        (Some("image"), "base64") => match base64(&source["data"])? {
            data if data.len() > ANTHROPIC_IMAGE_BYTES => Err(format!(
                "image exceeds 5 MB maximum: {} bytes > {ANTHROPIC_IMAGE_BYTES} bytes",
                data.len()
            )),
            _ => Ok(()),
        },
        (Some("document"), "base64") if media_type != "application/pdf" => {
            Err(format!("source.base64.media_type: {media_type:?} is not application/pdf"))
        }
        (Some("document"), "base64") => base64(&source["data"]).map(drop),
        (Some("document"), "text" | "content") => Ok(()),
        (Some("image" | "document"), "url") => text(&source["url"], "source.url").map(drop),
        (Some("image" | "document"), "file") => text(&source["file_id"], "source.file_id").map(drop),
        (Some("image" | "document"), kind) => Err(format!("the source {kind:?} is not known")),
        _ => Ok(()),
    }
}

fn gemini(part: &Value) -> Result<(), String> {
    if let Some(file) = part.get("fileData") {
        return text(&file["fileUri"], "fileUri").map(drop);
    }
    let Some(data) = part.get("inlineData") else { return Ok(()) };
    let media_type = text(&data["mimeType"], "mimeType")?;
    if media_type.starts_with("image/") && !GEMINI_IMAGES.contains(&media_type) {
        return Err(format!("Unsupported MIME type: {media_type}"));
    }
    base64(&data["data"]).map(drop)
}

/// Checks the address of a picture: of the web, or a data URL of an accepted type.
fn image_url(url: &Value) -> Result<(), String> {
    let address = text(url, "image_url")?;
    if address.starts_with("http://") || address.starts_with("https://") {
        return Ok(());
    }
    match data_url(url)? {
        media_type if IMAGES.contains(&media_type) => Ok(()),
        media_type => Err(format!("a picture of {media_type}; {} are accepted", IMAGES.join(", "))),
    }
}

/// Returns the media type of a data URL.
fn data_url(url: &Value) -> Result<&str, String> {
    let parts = url.as_str().and_then(|url| url.strip_prefix("data:")?.split_once(";base64,"));
    let (media_type, data) = parts.ok_or("expected a data URL with base64")?;
    check_base64(data)?;
    Ok(media_type)
}

fn base64(data: &Value) -> Result<&str, String> {
    let data = text(data, "data")?;
    check_base64(data)?;
    Ok(data)
}

fn check_base64(data: &str) -> Result<(), String> {
    let plain = data.trim_end_matches('=');
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let is_valid = data.len().is_multiple_of(4) && data.len().saturating_sub(plain.len()) < 3;
    if is_valid && !plain.is_empty() && plain.bytes().all(is_letter) {
        return Ok(());
    }
    Err("the data is empty or not valid base64".to_owned())
}

fn text<'a>(value: &'a Value, name: &str) -> Result<&'a str, String> {
    value.as_str().filter(|text| !text.is_empty()).ok_or_else(|| format!("the field {name} is required"))
}

/// Returns the one field of these that is present.
fn find_single_field<'n, const N: usize>(part: &Value, names: [&'n str; N]) -> Result<&'n str, String> {
    let mut present = names.into_iter().filter(|name| part.get(*name).is_some_and(|value| !value.is_null()));
    match (present.next(), present.next()) {
        (Some(name), None) => Ok(name),
        _ => Err(format!("exactly one of {} is required", names.join(", "))),
    }
}

#[cfg(test)]
mod tests;
