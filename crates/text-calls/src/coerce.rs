//! Arguments that were written as strings, read into what the tool's schema wants (RULES J9).

use serde_json::Value;
use windlass_protocol::{Arguments, ToolSpec};

use crate::escape::quoted;
use crate::literal;
use crate::tools::Tool;
use crate::wanted::Wanted;

/// One argument that is not what was written, or could not become what is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coercion {
    /// The tool.
    pub tool: String,
    /// The parameter.
    pub parameter: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It became a value of this kind: `boolean`, `number`, `null`, `array`, `object`.
    Became(&'static str),
    /// It said null, which the schema does not take, and the parameter is optional.
    Omitted,
    /// It stays a string, which the schema does not take. Validation will tell the model.
    Failed,
}

/// Typed arguments made of strings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Legacy {
    /// The arguments.
    pub arguments: Arguments,
    /// What was converted or left out.
    pub coerced: Vec<Coercion>,
    /// What could not be converted.
    pub failed: Vec<Coercion>,
}

/// Reads arguments that came as strings by the tool's schema.
///
/// A string becomes something else only where the schema wants something else: text that looks like JSON stays
/// text where a string is wanted, and `""` is never 0. Of two values of one name the last counts.
///
/// ```
/// use windlass_protocol::{ToolName, ToolSpec};
/// use windlass_text_calls::parse_legacy;
/// let spec = ToolSpec::function(
///     ToolName::new("read_file")?,
///     "Reads a file.",
///     r#"{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer"}}}"#.parse()?,
/// );
/// let legacy = parse_legacy(&spec, [("path", "true"), ("line", "12")]);
/// assert_eq!(legacy.arguments.as_str(), r#"{"path":"true","line":12}"#);
/// assert_eq!(legacy.coerced.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_legacy<'a>(spec: &ToolSpec, parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> Legacy {
    let tool = Tool::new(spec);
    let (mut coerced, mut failed) = (Vec::new(), Vec::new());
    let mut members: Vec<(&str, String)> = Vec::new();
    for (name, text) in parameters {
        let value = coerce(text, tool.wanted(name), tool.requires(name));
        if let Some(outcome) = value.outcome() {
            let list = if outcome == Outcome::Failed { &mut failed } else { &mut coerced };
            list.push(Coercion { tool: spec.name().to_string(), parameter: name.to_owned(), outcome });
        }
        members.retain(|(known, _)| *known != name);
        if let Some(json) = value.json(text) {
            members.push((name, json));
        }
    }
    let members: Vec<String> =
        members.into_iter().map(|(name, json)| format!("{}:{json}", quoted(name))).collect();
    // The members are JSON by construction, and none is too deep.
    let arguments = Arguments::parse(format!("{{{}}}", members.join(","))).unwrap_or_default();
    Legacy { arguments, coerced, failed }
}

/// What a text becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Coerced {
    /// The string that it is.
    Text,
    /// JSON of another kind.
    Json { json: String, kind: &'static str },
    /// Nothing.
    Omitted,
    /// The string that it is, though another kind is wanted.
    Failed,
}

impl Coerced {
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Text => None,
            Self::Json { kind, .. } => Some(Outcome::Became(kind)),
            Self::Omitted => Some(Outcome::Omitted),
            Self::Failed => Some(Outcome::Failed),
        }
    }

    /// The value as JSON, if there is one.
    pub(crate) fn json(self, text: &str) -> Option<String> {
        match self {
            Self::Json { json, .. } => Some(json),
            Self::Text | Self::Failed => Some(quoted(text)),
            Self::Omitted => None,
        }
    }
}

/// Reads one text as the schema wants it.
pub(crate) fn coerce(text: &str, wanted: Wanted, required: bool) -> Coerced {
    if wanted.is_text() {
        return Coerced::Text;
    }
    let plain = text.trim();
    if matches!(plain, "null" | "None") {
        if wanted.null {
            return json("null", "null");
        }
        if !required && !wanted.string {
            return Coerced::Omitted;
        }
    }
    if wanted.boolean {
        match plain {
            "true" | "True" | "TRUE" => return json("true", "boolean"),
            "false" | "False" | "FALSE" => return json("false", "boolean"),
            _ => {}
        }
    }
    if wanted.number && plain.starts_with(|c: char| c.is_ascii_digit() || c == '-') && is_json(plain) {
        return json(plain, "number");
    }
    let (open, kind) = match plain.as_bytes().first() {
        Some(b'{') if wanted.object => (true, "object"),
        Some(b'[') if wanted.array => (true, "array"),
        _ => (false, ""),
    };
    if open && is_json(plain) {
        return json(plain, kind);
    }
    if open && let Some(read) = literal::to_json(plain).filter(|read| is_json(read)) {
        return Coerced::Json { json: read, kind };
    }
    if wanted.string { Coerced::Text } else { Coerced::Failed }
}

fn json(text: &str, kind: &'static str) -> Coerced {
    Coerced::Json { json: text.to_owned(), kind }
}

/// Whether the text is JSON as a member of the arguments, where it may be one level less deep than by itself.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<Value>(&format!("[{text}]"))
        .is_ok_and(|list| list.as_array().is_some_and(|list| list.len() == 1))
}
