//! Decodes the results of calls.

use serde_json::Value;
use serde_json::value::RawValue;
use windlass_protocol::{CallId, Content, Opaque, Part, ResultStatus, ToolResult};
use windlass_wire::{Fields, RequestError};

use crate::names::NAME;
use crate::result::OUTPUT;
use crate::server::content::image;
use crate::server::messages::{marks, wrap_item};
use crate::server::request::value;

/// Decodes an item that answers a call.
pub(crate) fn result(
    place: &str,
    kind: &str,
    call: CallId,
    raw: &RawValue,
) -> Result<ToolResult, RequestError> {
    match kind {
        "function_call_output" | "custom_tool_call_output" => function(place, call, raw),
        _ => Ok(special(kind, call, value(place, raw)?)),
    }
}

fn function(place: &str, call: CallId, raw: &RawValue) -> Result<ToolResult, RequestError> {
    let mut fields = Fields::parse(place, raw.get())?;
    for read in ["type", "call_id", "caller"] {
        fields.raw(read);
    }
    let output = fields.peek("output");
    let written = output.map(RawValue::get).unwrap_or_default();
    let mut raw_output = None;
    let (status, content) = if written.starts_with('"') {
        words(&fields.take_required_text("output")?)
    } else if written.starts_with('[') {
        let (said, form) = pieces(fields.list("output")?.unwrap_or_default())?;
        raw_output = output.filter(|_| form == Form::Own);
        said
    } else {
        return Err(fields.wrong("output", "expected a text or a list of parts"));
    };
    let mut rest = fields.rest();
    if let Some(output) = raw_output {
        rest.insert(OUTPUT.to_owned(), value(place, output)?);
    }
    Ok(ToolResult::new(call, status, content).with_opaque(marks(rest)))
}

/// The result of decoding a list of parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    /// `Content` cannot represent this output, so the original JSON is stored as well.
    Own,
}

/// Splits a result's text into the status that it names and the rest.
fn words(text: &str) -> (ResultStatus, Vec<Content>) {
    match ResultStatus::parse_prefix(text) {
        (status, words) if !words.is_empty() => (status, vec![Content::text(words)]),
        _ => (ResultStatus::Ok, vec![Content::text(text)]),
    }
}

/// Decodes the parts of a result. A list is plain if the encoder writes it the same way: one text first, then
/// images.
fn pieces(parts: Vec<(String, &RawValue)>) -> Result<((ResultStatus, Vec<Content>), Form), RequestError> {
    let (mut status, mut content, mut is_plain) = (ResultStatus::Ok, Vec::new(), true);
    for (position, (place, raw)) in parts.into_iter().enumerate() {
        let mut fields = Fields::parse(place, raw.get())?;
        match fields.take_required_text("type")?.as_str() {
            "input_text" => {
                let text = fields.take_required_text("text")?;
                is_plain &= position == 0 && fields.rest().is_empty() && !text.is_empty();
                if position == 0 {
                    (status, content) = words(&text);
                } else {
                    content.push(Content::text(text));
                }
            }
            "input_image" => {
                is_plain &= position > 0;
                match image(fields)? {
                    Part::Image(image) => content.push(Content::Image(image)),
                    _ => is_plain = false,
                }
            }
            _ => is_plain = false,
        }
    }
    let form = if is_plain && !content.is_empty() { Form::Plain } else { Form::Own };
    Ok(((status, content), form))
}

/// Decodes the result of one of the provider's own calls: its text, and the original item.
fn special(kind: &str, call: CallId, item: Value) -> ToolResult {
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
    let (status, content) = match kind {
        "mcp_approval_response" if item.get("approve") == Some(&Value::Bool(true)) => words("approved"),
        "mcp_approval_response" => (ResultStatus::Denied, vec![Content::text(text("reason"))]),
        "shell_call_output" => shell(item.get("output")),
        "apply_patch_call_output" if text("status") == "failed" => {
            (ResultStatus::Error, vec![Content::text(text("output"))])
        }
        _ => words(text("output")),
    };
    ToolResult::new(call, status, content).with_opaque(Some(Opaque::new(NAME, wrap_item(item))))
}

/// Returns the output of the commands of a shell call, and `TimedOut` or `Error` if one of them timed out or
/// failed.
fn shell(output: Option<&Value>) -> (ResultStatus, Vec<Content>) {
    let mut status = ResultStatus::Ok;
    let mut content = Vec::new();
    for command in output.and_then(Value::as_array).into_iter().flatten() {
        for name in ["stdout", "stderr"] {
            let text = command.get(name).and_then(Value::as_str).unwrap_or_default();
            if !text.is_empty() {
                content.push(Content::text(text));
            }
        }
        let outcome = command.get("outcome").unwrap_or(&Value::Null);
        if outcome.get("type").is_some_and(|kind| kind == "timeout") {
            status = ResultStatus::TimedOut;
        } else if outcome.get("exit_code").and_then(Value::as_i64).unwrap_or(0) != 0 && status.is_ok() {
            status = ResultStatus::Error;
        }
    }
    (status, content)
}
