//! The list of offered tools, as part of a system prompt.

use serde_json::{Map, Value, json};
use windlass_protocol::{Arguments, ToolSpec};
use windlass_schema::{Need, resolve};

use super::call::render_call;
use crate::Dialect;
use crate::tools::Tool;

/// Renders the offered tools, and the syntax to call them, for a system prompt. Returns an empty string for
/// an empty list of tools.
///
/// The prompt contains an example call of the first tool, made from its schema. Equal tools give equal bytes
/// (RULES N6).
///
/// ```
/// use windlass_protocol::{ToolName, ToolSpec};
/// use windlass_text_calls::{Dialect, catalogue};
/// let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#.parse()?;
/// let spec = ToolSpec::function(ToolName::new("read_file")?, "Reads a file.", schema);
/// let prompt = catalogue(Dialect::Roo, &[spec]);
/// assert!(prompt.contains("<read_file>\n<path>path</path>\n</read_file>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn catalogue(dialect: Dialect, specs: &[ToolSpec]) -> String {
    let Some(first) = specs.first() else { return String::new() };
    let mut text = String::from(
        "# Tools\n\nYou can call the tools below. To call one, write it in your answer in exactly this form:\n\n",
    );
    text.push_str(&render_call(dialect, first.name().as_str(), &example(first)));
    text.push_str("\n\n");
    text.push_str(rules(dialect));
    for spec in specs {
        text.push_str("\n\n## ");
        text.push_str(spec.name().as_str());
        if !spec.description().is_empty() {
            text.push('\n');
            text.push_str(spec.description());
        }
        if let ToolSpec::Function { parameters, .. } = spec {
            text.push_str("\nParameters (JSON Schema): ");
            text.push_str(parameters.as_str());
        }
    }
    text.push('\n');
    text
}

fn rules(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Roo
        | Dialect::Invoke
        | Dialect::Qwen3Coder
        | Dialect::Dsml
        | Dialect::Glm
        | Dialect::MinimaxM2
        | Dialect::MinimaxM3
        | Dialect::SeedOss
        | Dialect::KimiK3
        | Dialect::MiniCpm => {
            "Write text as it is: nothing is escaped, and no entities are decoded. Write numbers, booleans, lists \
             and objects as JSON. Leave out a parameter that you do not need. After your calls, stop: their \
             results come in the next message."
        }
        Dialect::Structured => {
            "Your whole answer is this one object and nothing else. Put what you have to say into the string \
             `content`, any number of calls into `toolCalls`, and say in `needsMoreWork` whether you want to go on."
        }
        Dialect::Json => {
            "The fence with one JSON object is the call, so use this form for nothing else. After your calls, \
             stop: their results come in the next message."
        }
        _ => {
            "Arguments are values of their types in the schema. Leave out a parameter that you do not need. After \
             your calls, stop: their results come in the next message."
        }
    }
}

/// Returns arguments that the tool's schema accepts.
fn example(spec: &ToolSpec) -> Arguments {
    let tool = Tool::new(spec);
    let all = tool.properties();
    let required: Vec<&String> = all.iter().filter(|name| tool.need(name) == Need::Required).collect();
    let shown = if required.is_empty() { all.iter().take(1).collect() } else { required };
    let members = shown.into_iter().filter_map(|name| {
        let schema = tool.property(name)?;
        Some(format!("{}: {}", json!(name), value(name, schema, tool.schema(), 4)))
    });
    let members: Vec<String> = members.collect();
    Arguments::parse(format!("{{{}}}", members.join(", "))).unwrap_or_default()
}

/// Returns a value that the schema accepts. The schema's own constants, defaults and examples take
/// precedence.
fn value(name: &str, schema: &Value, root: &Value, depth: usize) -> Value {
    let schema = resolve(schema, root);
    let given = ["const", "default"].iter().find_map(|word| schema.get(word));
    let listed = ["examples", "enum"].iter().find_map(|word| schema.get(word)?.get(0));
    if let Some(value) = given.or(listed) {
        return value.clone();
    }
    let Some(depth) = depth.checked_sub(1) else { return Value::Null };
    let branch = ["anyOf", "oneOf", "allOf"].iter().find_map(|word| schema.get(word)?.get(0));
    if let Some(branch) = branch {
        return value(name, branch, root, depth);
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        kind => kind.and_then(Value::as_str),
    };
    match kind {
        Some("integer") => json!(schema.get("minimum").and_then(Value::as_i64).unwrap_or(1)),
        Some("number") => schema.get("minimum").cloned().unwrap_or(json!(1.5)),
        Some("boolean") => json!(true),
        Some("null") => Value::Null,
        Some("array") => match schema.get("items") {
            Some(items) => json!([value(name, items, root, depth)]),
            None => json!([]),
        },
        Some("object") => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let members = properties.into_iter().flatten();
            Value::Object(
                members.map(|(name, inner)| (name.clone(), value(name, inner, root, depth))).collect::<Map<
                    String,
                    Value,
                >>(
                ),
            )
        }
        _ => json!(name),
    }
}
