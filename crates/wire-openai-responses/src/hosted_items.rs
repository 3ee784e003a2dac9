//! The items of tools that the API ran, as observers see them.

use serde_json::{Value, json};
use windlass_protocol::{Citation, CitationSource, HostedCall, HostedResult};
use windlass_stream::{Chunk, RangeUnit};

/// The tools that the API runs, besides the tools of MCP servers.
const RUN_BY_API: [&str; 6] =
    ["web_search", "file_search", "code_interpreter", "image_generation", "tool_search", "shell"];

/// The name of the tool that runs programs.
const PROGRAMS: &str = "programmatic_tool_calling";

/// Returns the call in an item and its result, if the item has one. Items that are not calls of the API have none.
pub(crate) fn show_item(item: &Value) -> Vec<Chunk> {
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
    let field = |name: &str| item.get(name).cloned().unwrap_or_default();
    let kind = text("type");
    // Results in an item of their own.
    if let Some(name @ ("tool_search" | "shell")) =
        kind.strip_suffix("_output").map(|kind| kind.strip_suffix("_call").unwrap_or(kind))
    {
        let content = item.get("tools").or_else(|| item.get("output")).cloned().unwrap_or_default();
        return vec![Chunk::HostedResult(HostedResult::new(text("call_id"), name, content))];
    }
    // A program of the model that calls functions, and its output, which comes after the results.
    match kind {
        "program" => {
            let arguments = json!({ "code": field("code") });
            return vec![Chunk::HostedCall(HostedCall::new(text("call_id"), PROGRAMS, arguments))];
        }
        "program_output" => {
            let result = HostedResult::new(text("call_id"), PROGRAMS, field("result"));
            return vec![Chunk::HostedResult(result.with_error(failure(item)))];
        }
        _ => {}
    }
    let name = match kind {
        "mcp_call" => text("name"),
        "mcp_list_tools" => kind,
        "tool_search_call" if text("execution") == "client" => return Vec::new(),
        _ => match kind.strip_suffix("_call").filter(|name| RUN_BY_API.contains(name)) {
            Some(name) => name,
            // A call of the caller, such as `computer_call`, or a new kind, whose side is not known.
            None => return Vec::new(),
        },
    };
    let (arguments, content) = match kind {
        "mcp_call" | "tool_search_call" => (parse_arguments(field("arguments")), field("output")),
        "mcp_list_tools" => (Value::Null, field("tools")),
        "web_search_call" | "shell_call" => (field("action"), Value::Null),
        "file_search_call" => (json!({ "queries": field("queries") }), field("results")),
        "code_interpreter_call" => (json!({ "code": field("code") }), field("outputs")),
        // The bytes of the picture stay in the kept item.
        "image_generation_call" => (json!({ "prompt": field("revised_prompt") }), Value::Null),
        _ => (Value::Null, Value::Null),
    };
    let id = if text("call_id").is_empty() { text("id") } else { text("call_id") };
    let server = item.get("server_label").and_then(Value::as_str).map(str::to_owned);
    let call = Chunk::HostedCall(HostedCall::new(id, name, arguments).with_server(server));
    if matches!(kind, "tool_search_call" | "shell_call") {
        return vec![call];
    }
    let result = HostedResult::new(id, name, content).with_error(failure(item));
    vec![call, Chunk::HostedResult(result)]
}

/// Returns the failure of a call: its error, or the status that replaces one.
fn failure(item: &Value) -> Option<String> {
    let error = item.get("error").filter(|error| !error.is_null());
    let message = |error: &Value| {
        let text = error.as_str().or_else(|| error.get("message").and_then(Value::as_str));
        text.map_or_else(|| error.to_string(), str::to_owned)
    };
    let status = item.get("status").and_then(Value::as_str);
    let status = status.filter(|status| matches!(*status, "failed" | "incomplete"));
    error.map(message).or_else(|| status.map(str::to_owned))
}

/// Returns the value in a text with JSON, or the text itself.
fn parse_arguments(arguments: Value) -> Value {
    match arguments.as_str().map(serde_json::from_str) {
        Some(Ok(value)) => value,
        _ => arguments,
    }
}

/// Returns the citation in an annotation of a content part. A range counts characters of its part, which is the text of
/// the answer only for the first part.
pub(crate) fn citation_chunk(annotation: &Value, part: u64) -> Option<Chunk> {
    let text = |name: &str| annotation.get(name).and_then(Value::as_str).map(str::to_owned);
    let index = |name: &str| usize::try_from(annotation.get(name)?.as_u64()?).ok();
    let source = match annotation.get("type")?.as_str()? {
        "url_citation" => CitationSource::Url(text("url")?),
        "file_citation" | "container_file_citation" => CitationSource::Document(text("file_id")?),
        _ => return None,
    };
    let range = index("start_index").zip(index("end_index")).filter(|_| part == 0);
    let citation = Citation::new(source)
        .with_title(text("title").or_else(|| text("filename")))
        .with_range(range.map(|(start, end)| start..end));
    Some(Chunk::Citation { citation, unit: RangeUnit::Chars })
}
