//! Constructs the calls from which the engine would have learned the lessons of a setup.

use globset::GlobBuilder;
use serde_json::Value;
use windlass_protocol::{Arguments, ToolCall};

use crate::setup::EarlierAnswers;

/// Returns a call in the lesson's scope that resembles the decided call as closely as possible. Returns
/// `None` if the lesson is for another tool.
pub(crate) fn example(
    heard: &EarlierAnswers,
    call: &ToolCall,
    workspace: &str,
) -> anyhow::Result<Option<ToolCall>> {
    if heard.tool.as_deref().is_some_and(|tool| tool != call.name.as_str()) {
        return Ok(None);
    }
    let Some(scope) = &heard.scope else { return Ok(Some(call.clone())) };
    let Some(arguments) = call.arguments() else { return Ok(None) };
    let Some(path) = arguments.get("path").and_then(Value::as_str) else { return Ok(None) };
    let scope = scope.strip_prefix(workspace).map_or(scope.as_str(), |rest| rest.trim_start_matches('/'));
    let glob = GlobBuilder::new(scope).literal_separator(true).build()?.compile_matcher();
    if glob.is_match(path) {
        return Ok(Some(call.clone()));
    }
    let ending = path.rsplit_once('.').map_or("txt", |(_, ending)| ending);
    let folder = scope.trim_end_matches(['*', '/']);
    let mut members = arguments.as_object().clone();
    members.insert("path".to_owned(), Value::String(format!("{folder}/example.{ending}")));
    let arguments = Arguments::parse(Value::Object(members).to_string())?;
    Ok(Some(ToolCall::function(call.id.clone(), call.name.clone(), arguments)))
}
