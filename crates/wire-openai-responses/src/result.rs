//! Encodes the results of calls, each in the form that its call requires.

use std::borrow::Cow;

use serde_json::{Value, json};
use windlass_protocol::{Content, File, FileSource, Image, ImageSource, ResultStatus, ToolResult};
use windlass_wire::EncodeError;

use crate::item::ITEM_FIELD;
use crate::names::{NAME, encode_error, rest};
use crate::request::{KnownItem, KnownPart, Rest, WireItem, WireOutput};

/// The opaque field of a result that holds its whole output, if `Content` cannot express that output.
pub(crate) const OUTPUT: &str = "output";

/// The form of the call that a result answers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form<'a> {
    Function { caller: Option<&'a Value> },
    Custom { caller: Option<&'a Value> },
    LocalShell,
    Shell { max_output_length: Option<&'a Value> },
    ApplyPatch,
    McpApproval,
}

impl<'a> Form<'a> {
    /// Returns the form for an original item, or `None` if the item's type is not a special call.
    pub(crate) fn from_item(item: &'a Value) -> Option<Self> {
        match item.get("type")?.as_str()? {
            "local_shell_call" => Some(Self::LocalShell),
            "shell_call" => {
                let length = item.get("action").and_then(|action| action.get("max_output_length"));
                Some(Self::Shell { max_output_length: length.filter(|length| !length.is_null()) })
            }
            "apply_patch_call" => Some(Self::ApplyPatch),
            "mcp_approval_request" => Some(Self::McpApproval),
            _ => None,
        }
    }

    /// Returns true if results of this form can hold images.
    pub(crate) fn holds_pictures(self) -> bool {
        matches!(self, Self::Function { .. } | Self::Custom { .. })
    }

    /// Encodes the item that answers the call. The server side keeps the answer to one of the provider's own
    /// calls as a value, whose keys are sorted, and encodes that value again. So such an answer is written as a
    /// value here, too, and has the same bytes after it was decoded.
    pub(crate) fn answer(self, result: &'a ToolResult) -> Result<WireItem<'a>, EncodeError> {
        let call_id = wire_id(result.call.as_str());
        let is_ok = result.status.is_ok();
        let rest = || rest(result.opaque.as_ref(), &[OUTPUT, ITEM_FIELD]);
        Ok(match self {
            Self::Function { caller } => WireItem::Known(KnownItem::FunctionCallOutput {
                call_id,
                output: output(result)?,
                caller,
                rest: rest(),
            }),
            Self::Custom { caller } => WireItem::Known(KnownItem::CustomToolCallOutput {
                call_id,
                output: output(result)?,
                caller,
                rest: rest(),
            }),
            // The published schema names the field `id`, but the server accepts `call_id`, as in its guide.
            Self::LocalShell => WireItem::Built(json!({
                "type": "local_shell_call_output", "call_id": call_id, "output": result.wire_text(),
            })),
            Self::Shell { max_output_length } => {
                WireItem::Built(shell_answer(&call_id, max_output_length, result))
            }
            Self::ApplyPatch => WireItem::Built(json!({
                "type": "apply_patch_call_output",
                "call_id": call_id,
                "status": if is_ok { "completed" } else { "failed" },
                "output": result.wire_text(),
            })),
            Self::McpApproval if is_ok => WireItem::Built(json!({
                "type": "mcp_approval_response", "approval_request_id": call_id, "approve": true,
            })),
            Self::McpApproval => WireItem::Built(json!({
                "type": "mcp_approval_response",
                "approval_request_id": call_id,
                "approve": false,
                "reason": result.wire_text(),
            })),
        })
    }
}

fn shell_answer(call_id: &str, max_output_length: Option<&Value>, result: &ToolResult) -> Value {
    let outcome = match result.status {
        ResultStatus::TimedOut => json!({ "type": "timeout" }),
        status => json!({ "type": "exit", "exit_code": u8::from(!status.is_ok()) }),
    };
    let output = json!([{ "stdout": result.wire_text(), "stderr": "", "outcome": outcome }]);
    let mut item = json!({ "type": "shell_call_output", "call_id": call_id, "output": output });
    if let (Some(fields), Some(length)) = (item.as_object_mut(), max_output_length) {
        fields.insert("max_output_length".to_owned(), length.clone());
    }
    item
}

fn output(result: &ToolResult) -> Result<WireOutput<'_>, EncodeError> {
    if let Some(raw) = result.opaque.as_ref().and_then(|opaque| opaque.for_wire(NAME)?.get(OUTPUT)) {
        return Ok(WireOutput::Raw(raw));
    }
    let text = result.wire_text();
    if result.images().next().is_none() {
        return Ok(WireOutput::Text(text));
    }
    let mut parts = vec![KnownPart::InputText { text: text.into(), rest: Rest::new() }];
    for content in &result.content {
        if let Content::Image(image) = content {
            parts.push(picture(image)?);
        }
    }
    Ok(WireOutput::Parts(parts))
}

/// Encodes an image. An image value with another media type becomes a file.
pub(crate) fn picture(image: &Image) -> Result<KnownPart<'_>, EncodeError> {
    let media_type = image.media_type.as_str();
    let is_file = !media_type.is_empty() && !media_type.starts_with("image/");
    let mut rest = rest(image.opaque.as_ref(), &[]);
    if is_file {
        return Ok(match &image.source {
            ImageSource::Base64(base64) => data_file(media_type, None, base64, rest),
            ImageSource::Url(url) => url_file(None, url, rest),
            _ => return Err(encode_error("an image of a newer kind")),
        });
    }
    let detail = rest.remove("detail").and_then(Value::as_str).unwrap_or("auto");
    let image_url = match &image.source {
        ImageSource::Base64(base64) => Cow::Owned(data_url(media_type, base64)),
        ImageSource::Url(url) => Cow::Borrowed(url.as_str()),
        _ => return Err(encode_error("an image of a newer kind")),
    };
    Ok(KnownPart::InputImage { image_url: Some(image_url), file_id: None, detail, rest })
}

/// Encodes a document, or an uploaded image.
pub(crate) fn file(file: &File) -> Result<KnownPart<'_>, EncodeError> {
    let mut rest = rest(file.opaque.as_ref(), &[]);
    let name = file.name.as_deref();
    Ok(match &file.source {
        FileSource::Base64(base64) => data_file(&file.media_type, name, base64, rest),
        FileSource::Url(url) => url_file(name, url, rest),
        FileSource::Id(id) if file.media_type.starts_with("image/") => {
            let detail = rest.remove("detail").and_then(Value::as_str).unwrap_or("auto");
            KnownPart::InputImage { image_url: None, file_id: Some(id), detail, rest }
        }
        FileSource::Id(id) => KnownPart::InputFile {
            filename: name.map(Cow::Borrowed),
            file_data: None,
            file_url: None,
            file_id: Some(id),
            rest,
        },
        _ => return Err(encode_error("a file of a newer kind")),
    })
}

fn data_url(media_type: &str, base64: &str) -> String {
    format!("data:{media_type};base64,{base64}")
}

fn data_file<'a>(media_type: &str, name: Option<&'a str>, base64: &str, rest: Rest<'a>) -> KnownPart<'a> {
    // The API derives the type of a file from its name.
    let name = name.map_or_else(|| Cow::Owned(format!("file.{}", extension(media_type))), Cow::Borrowed);
    let file_data = Some(data_url(media_type, base64));
    KnownPart::InputFile { filename: Some(name), file_data, file_url: None, file_id: None, rest }
}

fn url_file<'a>(name: Option<&'a str>, url: &'a str, rest: Rest<'a>) -> KnownPart<'a> {
    let filename = name.map(Cow::Borrowed);
    KnownPart::InputFile { filename, file_data: None, file_url: Some(url), file_id: None, rest }
}

fn extension(media_type: &str) -> &str {
    match media_type {
        "text/plain" => "txt",
        "text/markdown" => "md",
        other => other.rsplit_once('/').map_or(other, |(_, subtype)| subtype),
    }
}

/// Returns an id that the API accepts: at most 64 bytes. A longer id is cut to 40 characters, its illegal
/// characters become `_`, and a hash of the original is appended. So one id has the same encoding in every
/// turn, and different ids stay different (RULES P1, N6).
pub(crate) fn wire_id(id: &str) -> Cow<'_, str> {
    if id.len() <= 64 {
        return Cow::Borrowed(id);
    }
    let legal = |character| if crate::names::is_legal_char(character) { character } else { '_' };
    let start: String = id.chars().take(40).map(legal).collect();
    Cow::Owned(format!("{start}_{:016x}", fnv1a(id)))
}

/// Hashes `text` with FNV-1a (64 bits), which gives the same value in every process.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}
