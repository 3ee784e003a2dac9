//! The blocks of tools that the API ran, as observers see them.

use serde_json::{Map, Value};
use windlass_protocol::{Citation, CitationSource, HostedCall, HostedResult};
use windlass_stream::Chunk;

/// Returns the call or the result in a block, or `None` for a block of another kind.
pub(crate) fn show_block(block: &Map<String, Value>) -> Option<Chunk> {
    let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
    let kind = text("type");
    if matches!(kind, "server_tool_use" | "mcp_tool_use") {
        let input = block.get("input").cloned().unwrap_or_default();
        let server = block.get("server_name").and_then(Value::as_str).map(str::to_owned);
        return Some(Chunk::HostedCall(HostedCall::new(text("id"), text("name"), input).with_server(server)));
    }
    let name = kind.strip_suffix("_tool_result")?;
    let content = block.get("content").cloned().unwrap_or_default();
    let error = failure(block, &content);
    Some(Chunk::HostedResult(HostedResult::new(text("tool_use_id"), name, content).with_error(error)))
}

/// Returns the code of an error that replaces the content, or the text of the result of an MCP tool that failed.
fn failure(block: &Map<String, Value>, content: &Value) -> Option<String> {
    let is_error = |kind: &Value| kind.as_str().is_some_and(|kind| kind.ends_with("_error"));
    if content.get("type").is_some_and(is_error) {
        let code = content.get("error_code").and_then(Value::as_str);
        return Some(code.unwrap_or("error").to_owned());
    }
    if block.get("is_error").and_then(Value::as_bool) != Some(true) {
        return None;
    }
    let first = content.get(0).and_then(|block| block.get("text")).or(Some(content));
    Some(first.and_then(Value::as_str).unwrap_or("error").to_owned())
}

/// Returns the citation in an entry of a text's list, which supports the whole text.
pub(crate) fn citation(entry: &Value) -> Option<Citation> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
    let document = || {
        let index = entry.get("document_index").or_else(|| entry.get("search_result_index"))?.as_u64()?;
        Some(index.to_string())
    };
    let source = match entry.get("type")?.as_str()? {
        "web_search_result_location" => CitationSource::Url(text("url")?),
        "search_result_location" => {
            text("source").map(CitationSource::Url).or_else(|| document().map(CitationSource::Document))?
        }
        _ => CitationSource::Document(text("file_id").or_else(document)?),
    };
    let title = text("title").or_else(|| text("document_title"));
    Some(Citation::new(source).with_title(title).with_quote(text("cited_text")))
}
