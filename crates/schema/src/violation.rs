//! Violations of a schema by a call's arguments, described for a model.

use std::fmt;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use crate::nearest::nearest;

/// Violation of a schema by one value: the path, the value and the expectation (RULES J10).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The path of the value as a JSON Pointer; empty for the arguments as a whole.
    pub path: String,
    /// A description of the actual value.
    pub met: String,
    /// A description of the expected value.
    pub wanted: String,
}

impl Violation {
    /// Describes a validation error. The schema supplies alternatives, such as similar property names.
    pub(crate) fn from_error(error: &ValidationError<'_>, schema: &Value) -> Self {
        Self {
            path: error.instance_path().to_string(),
            met: describe_value(error),
            wanted: describe_expected(error, schema).unwrap_or_else(|| error.masked().to_string()),
        }
    }

    /// Creates the violation for arguments whose check would be too expensive.
    pub(crate) fn too_expensive() -> Self {
        Self {
            path: String::new(),
            met: "arguments that take too much work to check".to_owned(),
            wanted: "fewer or less deeply nested values".to_owned(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "the arguments" } else { &self.path };
        write!(f, "{path}: met {}, wanted {}", self.met, self.wanted)
    }
}

fn describe_value(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Required { property } => format!("no {}", text_of(property)),
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            format!("the unknown {}", list_names(unexpected))
        }
        _ => show(error.instance()),
    }
}

fn describe_expected(error: &ValidationError<'_>, schema: &Value) -> Option<String> {
    Some(match error.kind() {
        ValidationErrorKind::Required { property } => format!("the required {}", text_of(property)),
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => properties(error, unexpected, schema),
        ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => article(&kind.to_string()),
        ValidationErrorKind::Type { kind: TypeKind::Multiple(kinds) } => {
            kinds.iter().map(|kind| article(&kind.to_string())).collect::<Vec<_>>().join(" or ")
        }
        ValidationErrorKind::Enum { options } => options_of(options, error.instance()),
        ValidationErrorKind::Constant { expected_value } => short(&expected_value.to_string()),
        ValidationErrorKind::Minimum { limit } => format!("at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("at most {limit}"),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        ValidationErrorKind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        ValidationErrorKind::MinLength { limit } => format!("at least {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("at most {limit} characters"),
        ValidationErrorKind::MinItems { limit } => format!("at least {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("at most {limit} items"),
        ValidationErrorKind::MinProperties { limit } => format!("at least {limit} properties"),
        ValidationErrorKind::MaxProperties { limit } => format!("at most {limit} properties"),
        ValidationErrorKind::UniqueItems => "no item twice".to_owned(),
        ValidationErrorKind::Pattern { pattern } => format!("a text that matches {}", short(pattern)),
        ValidationErrorKind::Format { format } => format!("a text of the format {format}"),
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            branches(error, context, schema)?
        }
        _ => return None,
    })
}

/// Maximum number of branches that a message lists.
const BRANCHES: usize = 4;

/// Describes the first expectation of each branch of a union.
fn branches(
    error: &ValidationError<'_>,
    context: &[Vec<ValidationError<'static>>],
    schema: &Value,
) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for inner in context.iter().filter_map(|errors| errors.first()) {
        let wanted = describe_expected(inner, schema)?;
        let at =
            inner.instance_path().as_str().strip_prefix(error.instance_path().as_str()).unwrap_or_default();
        let words = if at.is_empty() { wanted } else { format!("{wanted} at {at}") };
        if !told.contains(&words) {
            told.push(words);
        }
    }
    let more = told.len().saturating_sub(BRANCHES);
    told.truncate(BRANCHES);
    let told = told.join(" or ");
    Some(if more > 0 { format!("{told} or one of {more} others") } else { told })
}

/// Lists the known properties. Those nearest to the unknown name come first.
fn properties(error: &ValidationError<'_>, unexpected: &[String], schema: &Value) -> String {
    let only = "only the properties of the schema".to_owned();
    let place = error.schema_path().as_str().rsplit_once('/').map_or("", |(place, _)| place);
    let Some(known) = schema.pointer(place).and_then(|place| place.get("properties")?.as_object()) else {
        return only;
    };
    let written = error.instance().as_object();
    let is_free = |name: &&String| written.is_none_or(|written| !written.contains_key(*name));
    let free: Vec<&str> = known.keys().filter(is_free).map(String::as_str).collect();
    if free.is_empty() {
        return only;
    }
    let names: Vec<String> = free.iter().map(|name| (*name).to_owned()).collect();
    let near = match unexpected {
        [one] => nearest(one, &free),
        _ => None,
    };
    match near {
        Some(near) if names.len() == 1 => format!("perhaps `{}`", short(near)),
        Some(near) => format!("perhaps `{}`; those not given are {}", short(near), list_names(&names)),
        None => format!("{only}: {}", list_names(&names)),
    }
}

/// Lists the values of an enum. A long enum is shortened, with the nearest value first.
fn options_of(options: &Value, met: &Value) -> String {
    let text = options.to_string();
    if text.len() <= LONG_OPTIONS {
        return format!("one of {text}");
    }
    let all = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
    let near = met.as_str().and_then(|met| nearest(met, &texts)).map(Value::from);
    let others = all.iter().filter(|value| Some(*value) != near.as_ref());
    let told: Vec<String> =
        near.iter().chain(others).take(OPTIONS).map(|value| short(&value.to_string())).collect();
    let more = all.len().saturating_sub(told.len());
    format!("one of {} values: {} and {more} more", all.len(), told.join(", "))
}

/// Longest text of an enum that is listed in full, and the number of listed values of a longer one.
const LONG_OPTIONS: usize = 300;
const OPTIONS: usize = 6;

fn short(text: &str) -> String {
    match text.char_indices().nth(NAME_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn text_of(property: &Value) -> String {
    property.as_str().map_or_else(|| property.to_string(), |name| format!("`{name}`"))
}

/// Maximum number of listed names, and of characters of each. The model wrote the names and knows them.
const NAMED: usize = 8;
const NAME_CHARACTERS: usize = 60;

fn list_names(names: &[String]) -> String {
    let told: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{}`", short(name))).collect();
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

fn show(value: &Value) -> String {
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
