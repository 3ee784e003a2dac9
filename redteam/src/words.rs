//! Translates the parameters of a catalogue's call to those of our tools.

use anyhow::bail;
use serde_json::{Map, Value};
use windlass_protocol::{ResultStatus, ToolSpec};
use windlass_toolbox::Toolbox;

use crate::engine::Engine;

/// Parameters that have another name in our tools. Without the translation, a refused name would look like a
/// refused attack.
const RENAMED: &[(&str, &str, &str)] = &[("edit_file", "old", "old_text"), ("edit_file", "new", "new_text")];

/// The members of a case's input that are for the harness and not for the tool.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HarnessInput {
    pub(crate) cancel_after_ms: Option<u64>,
}

/// Returns the arguments of a call as JSON text. The catalogue's text is kept if nothing has to change.
pub(crate) fn arguments(tool: &str, input: &str) -> (String, HarnessInput) {
    let Ok(Value::Object(mut members)) = serde_json::from_str(input) else {
        return (input.to_owned(), HarnessInput::default());
    };
    let mut told = HarnessInput::default();
    let mut is_changed = false;
    if let Some(after) = members.remove("cancel_after_ms") {
        told.cancel_after_ms = after.as_u64();
        is_changed = true;
    }
    for (_, from, to) in RENAMED.iter().filter(|(known, ..)| *known == tool) {
        if let Some(value) = members.remove(*from) {
            members.insert((*to).to_owned(), value);
            is_changed = true;
        }
    }
    let text = if is_changed { Value::Object(members).to_string() } else { input.to_owned() };
    (text, told)
}

/// Returns arguments that the tool accepts: the case's own, or without the parameters that the tool does not
/// have. A refused parameter name must not look like a refused attack.
pub(crate) fn understood(engine: &Engine, tool: &str, arguments: &str) -> anyhow::Result<String> {
    let Some(unknown) = unknown(&engine.toolbox, tool, arguments) else { return Ok(arguments.to_owned()) };
    let is_taken = |arguments: &str| {
        let call = engine.call(tool, arguments)?;
        let refused = call.map(|call| engine.toolbox.check(&call).err().map(|result| result.status));
        Ok::<_, anyhow::Error>(!matches!(refused, Ok(Some(ResultStatus::InvalidArguments))))
    };
    if is_taken(arguments)? {
        return Ok(arguments.to_owned());
    }
    let known = remove_members(arguments, &unknown)?;
    if !is_taken(&known)? {
        bail!("{tool} does not know the words of the case: {}", unknown.join(", "));
    }
    Ok(known)
}

/// Returns the parameters that the tool does not have, or `None` if it has all of them.
fn unknown(toolbox: &Toolbox, tool: &str, arguments: &str) -> Option<Vec<String>> {
    let Ok(Value::Object(members)) = serde_json::from_str::<Value>(arguments) else { return None };
    let offered = toolbox.tool_specs();
    let (spec, _) = offered.iter().find(|(spec, _)| spec.name().as_str() == tool)?;
    let ToolSpec::Function { parameters, .. } = spec else { return None };
    let schema: Value = serde_json::from_str(parameters.as_str()).ok()?;
    let properties = schema.get("properties")?.as_object()?;
    let unknown: Vec<_> = members.keys().filter(|name| !properties.contains_key(*name)).cloned().collect();
    (!unknown.is_empty()).then_some(unknown)
}

fn remove_members(arguments: &str, unknown: &[String]) -> anyhow::Result<String> {
    let mut members: Map<String, Value> = serde_json::from_str(arguments)?;
    members.retain(|name, _| !unknown.contains(name));
    Ok(Value::Object(members).to_string())
}

/// Returns true if a name that no tool has is another spelling of a tool's name. The case is then about the
/// spelling and not about a missing tool.
pub(crate) fn is_misspelt(toolbox: &Toolbox, tool: &str) -> bool {
    let plain = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
    };
    toolbox.tool_specs().iter().any(|(spec, _)| plain(spec.name().as_str()) == plain(tool))
}
