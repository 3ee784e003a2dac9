//! One thing that is wrong with a call's arguments, in words a model can act on.

use std::fmt;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

/// One thing that is wrong: where, what was met, what is wanted (RULES J10).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// Where, as a JSON Pointer; empty is the arguments as a whole.
    pub path: String,
    /// What was met.
    pub met: String,
    /// What is wanted.
    pub wanted: String,
}

impl Violation {
    pub(crate) fn of(error: &ValidationError<'_>) -> Self {
        Self {
            path: error.instance_path().to_string(),
            met: met(error),
            wanted: wanted(error.kind()).unwrap_or_else(|| error.masked().to_string()),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "the arguments" } else { &self.path };
        write!(f, "{path}: met {}, wanted {}", self.met, self.wanted)
    }
}

fn met(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Required { property } => format!("no {}", text_of(property)),
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            format!("the unknown {}", named(unexpected))
        }
        _ => shown(error.instance()),
    }
}

fn wanted(kind: &ValidationErrorKind) -> Option<String> {
    Some(match kind {
        ValidationErrorKind::Required { property } => format!("the required {}", text_of(property)),
        ValidationErrorKind::AdditionalProperties { .. } => "only the properties of the schema".to_owned(),
        ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => article(&kind.to_string()),
        ValidationErrorKind::Type { kind: TypeKind::Multiple(kinds) } => {
            kinds.iter().map(|kind| article(&kind.to_string())).collect::<Vec<_>>().join(" or ")
        }
        ValidationErrorKind::Enum { options } => format!("one of {options}"),
        ValidationErrorKind::Constant { expected_value } => expected_value.to_string(),
        ValidationErrorKind::Minimum { limit } => format!("at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("at most {limit}"),
        ValidationErrorKind::MinLength { limit } => format!("at least {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("at most {limit} characters"),
        ValidationErrorKind::MinItems { limit } => format!("at least {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("at most {limit} items"),
        ValidationErrorKind::Pattern { pattern } => format!("a text that matches {pattern}"),
        ValidationErrorKind::Format { format } => format!("a text of the format {format}"),
        _ => return None,
    })
}

fn text_of(property: &Value) -> String {
    property.as_str().map_or_else(|| property.to_string(), |name| format!("`{name}`"))
}

/// The most names that are told, and the most characters of each: the model wrote them and knows them.
const NAMED: usize = 4;
const NAME_CHARACTERS: usize = 60;

fn named(names: &[String]) -> String {
    let short = |name: &String| match name.char_indices().nth(NAME_CHARACTERS) {
        Some((end, _)) => format!("`{}…`", name.get(..end).unwrap_or_default()),
        None => format!("`{name}`"),
    };
    let told: Vec<String> = names.iter().take(NAMED).map(short).collect();
    match names.len().saturating_sub(NAMED) {
        0 => told.join(", "),
        more => format!("{} and {more} more", told.join(", ")),
    }
}

fn article(kind: &str) -> String {
    match kind {
        "null" => "null".to_owned(),
        "array" | "integer" | "object" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(value) => format!("the number {value}"),
        Value::String(value) if value.chars().count() <= 60 => {
            format!("the string {}", Value::from(value.as_str()))
        }
        Value::String(value) => format!("a string of {} characters", value.chars().count()),
        Value::Array(items) => format!("an array of {} items", items.len()),
        Value::Object(members) => format!("an object of {} members", members.len()),
    }
}
