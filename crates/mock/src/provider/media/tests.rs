//! Tests of the rules for pictures, documents and recordings.

use serde_json::{Value, json};

use super::check;
use crate::render::Format;

/// Returns the message of the refusal of a part, or `None` if it is accepted.
fn refusal(format: Format, part: &Value) -> Option<String> {
    let name = if format == Format::Gemini { "parts" } else { "content" };
    let messages = [json!({ "role": "user", name: [part] })];
    check(format, &messages).err().map(|refused| refused.message)
}

#[test]
fn what_providers_accept_is_accepted() {
    for (format, part) in [
        (Format::Chat, json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}})),
        (Format::Chat, json!({"type": "image_url", "image_url": {"url": "https://a.example/b.png"}})),
        (Format::Chat, json!({"type": "file", "file": {"file_data": "data:application/pdf;base64,AAA="}})),
        (Format::Chat, json!({"type": "file", "file": {"file_id": "file-1"}})),
        (Format::Chat, json!({"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}})),
        (Format::Responses, json!({"type": "input_image", "file_id": "file-1", "image_url": null})),
        (
            Format::Responses,
            json!({"type": "input_file", "filename": "a", "file_data": "data:text/csv;base64,AAAA"}),
        ),
        (Format::Responses, json!({"type": "input_file", "file_url": "https://a.example/b.pdf"})),
        (Format::Anthropic, json!({"type": "image", "source": {"type": "file", "file_id": "file_1"}})),
        (
            Format::Anthropic,
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "AAAA"}}),
        ),
        (
            Format::Anthropic,
            json!({"type": "document", "source": {"type": "url", "url": "https://a.example"}}),
        ),
        (Format::Gemini, json!({"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}})),
        (
            Format::Gemini,
            json!({"fileData": {"mimeType": "image/png", "fileUri": "https://a.example/files/1"}}),
        ),
        (Format::Gemini, json!({"text": "words"})),
    ] {
        assert_eq!(refusal(format, &part), None, "{part}");
    }
}

#[test]
fn what_providers_refuse_is_refused_with_a_reason() {
    let large = "A".repeat(super::ANTHROPIC_IMAGE_BYTES + 4);
    for (format, part, expected) in [
        (
            Format::Chat,
            json!({"type": "image_url", "image_url": {"url": "data:image/tiff;base64,AAAA"}}),
            "a picture of image/tiff",
        ),
        (Format::Chat, json!({"type": "image_url", "image_url": {"url": "shot.png"}}), "expected a data URL"),
        (
            Format::Chat,
            json!({"type": "file", "file": {"file_data": "data:text/csv;base64,AAAA"}}),
            "only application/pdf",
        ),
        (Format::Chat, json!({"type": "file", "file": {}}), "exactly one of file_id, file_data"),
        (
            Format::Chat,
            json!({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "ogg"}}),
            "is not wav or mp3",
        ),
        (Format::Responses, json!({"type": "input_image"}), "exactly one of file_id, image_url"),
        (
            Format::Responses,
            json!({"type": "input_file", "file_data": "data:text/csv;base64,AAAA"}),
            "needs a filename",
        ),
        (
            Format::Anthropic,
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/bmp", "data": "AAAA"}}),
            "is not one of image/png",
        ),
        (
            Format::Anthropic,
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": large}}),
            "image exceeds 5 MB maximum",
        ),
        (
            Format::Anthropic,
            json!({"type": "tool_result", "content": [{"type": "image", "source":
                {"type": "base64", "media_type": "image/png", "data": "A*=="}}]}),
            "not valid base64",
        ),
        (
            Format::Anthropic,
            json!({"type": "document", "source": {"type": "base64", "media_type": "text/csv", "data": "AAAA"}}),
            "is not application/pdf",
        ),
        (Format::Anthropic, json!({"type": "document", "source": {"type": "file"}}), "source.file_id"),
        (Format::Anthropic, json!({"type": "image"}), "the source \"\" is not known"),
        (
            Format::Gemini,
            json!({"inlineData": {"mimeType": "image/gif", "data": "AAAA"}}),
            "Unsupported MIME",
        ),
        (Format::Gemini, json!({"inlineData": {"data": "AAAA"}}), "mimeType is required"),
        (Format::Gemini, json!({"inlineData": {"mimeType": "image/png", "data": ""}}), "data is required"),
        (Format::Gemini, json!({"fileData": {"mimeType": "image/png"}}), "fileUri is required"),
    ] {
        let message = refusal(format, &part).unwrap_or_default();
        assert!(message.contains(expected), "{part}: {message}");
    }
}
