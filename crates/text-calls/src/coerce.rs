//! Arguments that were written as strings, read into what the tool's schema wants (RULES J9).

use windlass_protocol::{Arguments, ToolSpec};
use windlass_schema::{Need, Reading, Wanted, WantedKind, is_member};

use crate::escape::quoted;
use crate::literal;
use crate::tools::Tool;

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
        let value = read(text, tool.wanted(name), tool.need(name));
        if let Some(outcome) = outcome(&value) {
            let list = if outcome == Outcome::Failed { &mut failed } else { &mut coerced };
            list.push(Coercion { tool: spec.name().to_string(), parameter: name.to_owned(), outcome });
        }
        members.retain(|(known, _)| *known != name);
        if let Some(json) = json(value, text) {
            members.push((name, json));
        }
    }
    let members: Vec<String> =
        members.into_iter().map(|(name, json)| format!("{}:{json}", quoted(name))).collect();
    // The members are JSON by construction, and none is too deep.
    let arguments = Arguments::parse(format!("{{{}}}", members.join(","))).unwrap_or_default();
    Legacy { arguments, coerced, failed }
}

/// What is told of a reading; nothing of a string that was wanted.
pub(crate) fn outcome(reading: &Reading) -> Option<Outcome> {
    match reading {
        Reading::Json { kind, .. } => Some(Outcome::Became(kind)),
        Reading::Omitted => Some(Outcome::Omitted),
        Reading::Failed => Some(Outcome::Failed),
        _ => None,
    }
}

/// The value as JSON, if there is one.
pub(crate) fn json(reading: Reading, text: &str) -> Option<String> {
    match reading {
        Reading::Json { json, .. } => Some(json),
        Reading::Omitted => None,
        _ => Some(quoted(text)),
    }
}

/// Reads one text as the schema wants it; lists and objects as Python writes them too.
pub(crate) fn read(text: &str, wanted: Wanted, need: Need) -> Reading {
    let reading = Reading::of(text, wanted, need);
    if wanted.is_text() || !matches!(reading, Reading::Text | Reading::Failed) {
        return reading;
    }
    let plain = text.trim();
    let kind = match plain.as_bytes().first() {
        Some(b'{') if wanted.takes(WantedKind::Object) => "object",
        Some(b'[') if wanted.takes(WantedKind::Array) => "array",
        _ => return reading,
    };
    match literal::to_json(plain).filter(|read| is_member(read)) {
        Some(json) => Reading::Json { json, kind },
        None => reading,
    }
}
