//! The parameters of a catalogue's call in the words of the tools here.

use serde_json::{Map, Value};
use windlass_toolbox::Toolbox;

/// Parameters that have another name here. A refusal of a mere word would look like a refused attack.
const RENAMED: &[(&str, &str, &str)] =
    &[("edit_file", "old", "old_text"), ("edit_file", "new", "new_text")];

/// What a case says to the harness and not to the tool.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told {
    pub(crate) cancel_after_ms: Option<u64>,
}

/// The arguments of a call, as JSON text: the catalogue's own text where nothing has to change.
pub(crate) fn arguments(tool: &str, input: &str) -> (String, Told) {
    let Ok(Value::Object(mut members)) = serde_json::from_str(input) else {
        return (input.to_owned(), Told::default());
    };
    let mut told = Told::default();
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

/// The arguments without parameters that the tool does not have, if there are such.
pub(crate) fn known_only(toolbox: &Toolbox, tool: &str, arguments: &str) -> Option<String> {
    let Ok(Value::Object(members)) = serde_json::from_str::<Value>(arguments) else { return None };
    let offered = toolbox.offered();
    let (spec, _) = offered.iter().find(|(spec, _)| spec.name().as_str() == tool)?;
    let windlass_protocol::ToolSpec::Function { parameters, .. } = spec else { return None };
    let schema: Value = serde_json::from_str(parameters.as_str()).ok()?;
    let properties = schema.get("properties")?.as_object()?;
    let kept: Map<_, _> =
        members.iter().filter(|(name, _)| properties.contains_key(*name)).map(owned).collect();
    (kept.len() < members.len()).then(|| Value::Object(kept).to_string())
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

/// Tools that the project is to have, and that a case may meet before they are there.
pub(crate) fn is_of_the_project(tool: &str) -> bool {
    const TOOLS: [&str; 4] = ["delete_file", "apply_patch", "web_fetch", "execute_code"];
    TOOLS.contains(&tool)
}
