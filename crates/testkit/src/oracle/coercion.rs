//! Properties of the conversion of string arguments by a tool's schema.

use serde_json::{Value, json};
use windlass_protocol::{ToolName, ToolSpec};
use windlass_text_calls::{CoercionOutcome, parse_legacy};

/// The values of `type` in the generated schemas.
const KINDS: &[&[&str]] = &[
    &["string"],
    &["boolean"],
    &["integer"],
    &["number"],
    &["array"],
    &["object"],
    &["null", "string"],
    &["null", "number"],
    &["string", "number"],
    &["boolean", "array", "object"],
];

/// Converts any text as an argument of any type. The result has a type that the schema accepts and the same
/// meaning as the text, or stays a string; a string argument is unchanged; an empty text never becomes a
/// number (RULES J9).
///
/// # Panics
/// The property is violated.
pub fn coercion(bytes: &[u8]) {
    let Some((kind, text)) = bytes.split_first() else { return };
    let kinds = KINDS[usize::from(*kind) % KINDS.len()];
    let is_required = *kind >= 128;
    let text = String::from_utf8_lossy(text);
    let required: &[&str] = if is_required { &["p"] } else { &[] };
    let schema = json!({ "type": "object", "properties": { "p": { "type": kinds } }, "required": required });
    let schema = schema.to_string().parse().expect("the schema is JSON");
    let spec = ToolSpec::function(ToolName::new("f").expect("a plain name"), "A tool.", schema);
    // Too many values are refused.
    let Ok(legacy) = parse_legacy(&spec, [("p", text.as_ref())]) else { return };
    let value = legacy.arguments.get("p");
    let outcomes: Vec<CoercionOutcome> =
        legacy.coerced.iter().chain(&legacy.failed).map(|coercion| coercion.outcome).collect();
    match value {
        None => {
            assert!(matches!(text.trim(), "null" | "None"), "only null is left out");
            assert!(
                !is_required && outcomes == [CoercionOutcome::Omitted],
                "only optional fields are left out"
            );
        }
        Some(Value::String(value)) => {
            assert_eq!(value, text.as_ref(), "a string stays as it is");
            let expected: &[CoercionOutcome] =
                if kinds.contains(&"string") { &[] } else { &[CoercionOutcome::Failed] };
            assert_eq!(outcomes, expected, "a mismatch is reported");
        }
        Some(value) => {
            assert_ne!(kinds, ["string"], "where a string is wanted it is one");
            assert!(!text.trim().is_empty(), "nothing is never a value");
            let kind = kind_of(value);
            assert!(
                kinds.contains(&kind) || kind == "number" && kinds.contains(&"integer"),
                "{kind} is not wanted"
            );
            assert_eq!(outcomes, [CoercionOutcome::Became(kind)], "a conversion is reported");
            if let Ok(said) = serde_json::from_str::<Value>(text.trim()) {
                assert_eq!(value, &said, "the result equals the reported change");
            }
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
