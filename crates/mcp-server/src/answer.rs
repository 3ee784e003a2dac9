//! Conversion of a tool's result to MCP's `tools/call` result.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use windlass_protocol::{Content, Image, ImageSource, ToolResult};

/// Converts a result with all its content, in order. A status other than ok becomes an error result whose
/// first text is the status, as in a message to a model (RULES P6).
pub(crate) fn answer(result: &ToolResult) -> CallToolResult {
    let is_ok = result.status.is_ok();
    let mut content = Vec::new();
    if !is_ok {
        content.push(ContentBlock::text(format!("[{}]", result.status.as_str())));
    }
    let mut structured = None;
    for piece in &result.content {
        match piece {
            Content::Structured { value } => {
                // Clients without support for structured content read this text.
                content.push(convert_content(piece));
                // Older clients accept only objects.
                structured = Some(value.clone()).filter(serde_json::Value::is_object).or(structured);
            }
            _ => content.push(convert_content(piece)),
        }
    }
    // The caller is a model.
    content.extend(result.advice.as_deref().map(ContentBlock::text));
    if content.is_empty() {
        content.push(ContentBlock::text("done"));
    }
    let mut answer = if is_ok { CallToolResult::success(content) } else { CallToolResult::error(content) };
    answer.structured_content = structured;
    answer
}

/// Converts a piece of content. A structured value becomes its JSON text.
pub(crate) fn convert_content(piece: &Content) -> ContentBlock {
    match piece {
        Content::Text { text } => ContentBlock::text(text),
        Content::Image(image) => picture(image),
        Content::Resource { uri, media_type, text } => {
            let resource = ResourceContents::text(text, uri);
            ContentBlock::resource(match media_type {
                Some(media_type) => resource.with_mime_type(media_type),
                None => resource,
            })
        }
        Content::Structured { value } => ContentBlock::text(value.to_string()),
        _ => ContentBlock::text("[a piece that cannot be sent]"),
    }
}

fn picture(image: &Image) -> ContentBlock {
    match &image.source {
        ImageSource::Base64(data) => ContentBlock::image(data, &image.media_type),
        ImageSource::Url(url) => ContentBlock::text(format!("[picture at {url}]")),
        _ => ContentBlock::text("[a picture that cannot be sent]"),
    }
}
