//! The results of calls, each in the form that answers its call.

use std::borrow::Cow;

use serde_json::Value;
use windlass_protocol::{Content, Image, ImageSource, ResultStatus, ToolResult};
use windlass_wire::EncodeError;

use crate::encode::unsupported;
use crate::request::{KnownItem, KnownPart, ShellOutcome, ShellOutput, WireOutput};

/// What kind of call a result answers.
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
    /// The form of an item that goes back as it came.
    pub(crate) fn of_item(item: &'a Value) -> Option<Self> {
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

    /// Whether results of this form hold pictures.
    pub(crate) fn holds_pictures(self) -> bool {
        matches!(self, Self::Function { .. } | Self::Custom { .. })
    }

    /// The item that answers the call.
    pub(crate) fn answer(self, result: &'a ToolResult) -> Result<KnownItem<'a>, EncodeError> {
        let call_id = wire_id(result.call.as_str());
        let is_ok = result.status.is_ok();
        Ok(match self {
            Self::Function { caller } => {
                KnownItem::FunctionCallOutput { call_id, output: output(result)?, caller }
            }
            Self::Custom { caller } => {
                KnownItem::CustomToolCallOutput { call_id, output: output(result)?, caller }
            }
            // The published schema names the field `id`; what the server takes, and its guide shows, is `call_id`.
            Self::LocalShell => KnownItem::LocalShellCallOutput { call_id, output: result.wire_text() },
            Self::Shell { max_output_length } => {
                let outcome = match result.status {
                    ResultStatus::TimedOut => ShellOutcome::Timeout,
                    _ => ShellOutcome::Exit { exit_code: u8::from(!is_ok) },
                };
                let output = [ShellOutput { stdout: result.wire_text(), stderr: "", outcome }];
                KnownItem::ShellCallOutput { call_id, max_output_length, output }
            }
            Self::ApplyPatch => {
                let status = if is_ok { "completed" } else { "failed" };
                KnownItem::ApplyPatchCallOutput { call_id, status, output: result.wire_text() }
            }
            Self::McpApproval => KnownItem::McpApprovalResponse {
                approval_request_id: call_id,
                approve: is_ok,
                reason: (!is_ok).then(|| result.wire_text()),
            },
        })
    }
}

fn output(result: &ToolResult) -> Result<WireOutput<'_>, EncodeError> {
    let text = result.wire_text();
    if result.images().next().is_none() {
        return Ok(WireOutput::Text(text));
    }
    let mut parts = vec![KnownPart::InputText { text: text.into() }];
    for content in &result.content {
        if let Content::Image(image) = content {
            parts.push(picture(image)?);
        }
    }
    Ok(WireOutput::Parts(parts))
}

/// A picture, or a file: whatever has another media type.
pub(crate) fn picture(image: &Image) -> Result<KnownPart<'_>, EncodeError> {
    let media_type = image.media_type.as_str();
    let data = |data: &str| format!("data:{media_type};base64,{data}");
    let is_file = !media_type.is_empty() && !media_type.starts_with("image/");
    Ok(match (&image.source, is_file) {
        (ImageSource::Base64(base64), false) => {
            KnownPart::InputImage { image_url: Cow::Owned(data(base64)), detail: "auto" }
        }
        (ImageSource::Url(url), false) => {
            KnownPart::InputImage { image_url: Cow::Borrowed(url), detail: "auto" }
        }
        (ImageSource::Base64(base64), true) => KnownPart::InputFile {
            // The API tells the kind of a file by its name.
            filename: Some(format!("file.{}", extension(media_type))),
            file_data: Some(data(base64)),
            file_url: None,
        },
        (ImageSource::Url(url), true) => {
            KnownPart::InputFile { filename: None, file_data: None, file_url: Some(url) }
        }
        _ => return Err(unsupported("an image of a newer kind")),
    })
}

fn extension(media_type: &str) -> &str {
    match media_type {
        "text/plain" => "txt",
        "text/markdown" => "md",
        other => other.rsplit_once('/').map_or(other, |(_, subtype)| subtype),
    }
}

/// An id that the API takes: at most 64 characters. One that has to be changed gets a hash of what it was, so that
/// the same id is the same text in every turn, and no two are the same text (RULES P1, N6).
pub(crate) fn wire_id(id: &str) -> Cow<'_, str> {
    if id.len() <= 64 {
        return Cow::Borrowed(id);
    }
    let legal = |character| if crate::encode::is_legal_char(character) { character } else { '_' };
    let start: String = id.chars().take(40).map(legal).collect();
    Cow::Owned(format!("{start}_{:016x}", fnv1a(id)))
}

/// FNV-1a, 64 bits: small, and the same in every process.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}
