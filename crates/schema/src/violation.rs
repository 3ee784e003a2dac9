//! Violations of a schema by a call's arguments, described for a model.

use std::fmt;

use serde_json::{Map, Value};

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
    pub(crate) fn new(path: String, met: String, wanted: String) -> Self {
        Self { path, met, wanted }
    }

    /// Shortens a path with very long names.
    pub(crate) fn with_short_path(self) -> Self {
        match self.path.get(..self.path.floor_char_boundary(SHOWN_PATH)) {
            Some(front) if front.len() < self.path.len() => Self { path: format!("{front}…"), ..self },
            _ => self,
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
        write!(f, "{path}: found {}, expected {}", self.met, self.wanted)
    }
}

/// Maximum length of a path in a message, in bytes.
const SHOWN_PATH: usize = 1_024;

/// Lists the known properties of a schema. Those nearest to the unknown name come first.
pub(crate) fn properties(
    known: Option<&Map<String, Value>>,
    written: Option<&Map<String, Value>>,
    unexpected: &[String],
) -> String {
    let only = "only the properties of the schema".to_owned();
    let Some(known) = known else { return only };
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

/// Maximum number of branches that a message lists.
const BRANCHES: usize = 4;

/// Joins the expectations of the branches of a union.
pub(crate) fn alternatives(mut wanted: Vec<String>) -> String {
    let more = wanted.len().saturating_sub(BRANCHES);
    wanted.truncate(BRANCHES);
    let wanted = wanted.join(" or ");
    if more > 0 { format!("{wanted} or one of {more} others") } else { wanted }
}

/// Lists the values of an enum. A long enum is shortened, with the nearest value first.
pub(crate) fn options_of(options: &Value, met: &Value) -> String {
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

pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(NAME_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Maximum number of listed names, and of characters of each. The model wrote the names and knows them.
const NAMED: usize = 8;
const NAME_CHARACTERS: usize = 60;

pub(crate) fn list_names(names: &[String]) -> String {
    let told: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{}`", short(name))).collect();
    match names.len().saturating_sub(NAMED) {
        0 => told.join(", "),
        more => format!("{} and {more} more", told.join(", ")),
    }
}

pub(crate) fn article(kind: &str) -> String {
    match kind {
        "null" => "null".to_owned(),
        "array" | "integer" | "object" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

pub(crate) fn show(value: &Value) -> String {
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
