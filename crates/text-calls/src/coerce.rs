//! Conversion of string arguments to the types in a tool's schema (RULES J9).

use std::collections::HashMap;

use windlass_protocol::{Arguments, ArgumentsError, ToolSpec};
use windlass_schema::{AcceptedKinds, Need, TextConversion, WantedKind, is_member};

use crate::escape::quote;
use crate::literal;
use crate::tools::Tool;

/// One argument that was converted, omitted, or could not be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coercion {
    /// The name of the tool.
    pub tool: String,
    /// The name of the parameter.
    pub parameter: String,
    /// The outcome of the conversion.
    pub outcome: CoercionOutcome,
}

/// The outcome of converting one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CoercionOutcome {
    /// It was converted to a value of this JSON type: `boolean`, `number`, `null`, `array` or `object`.
    Became(&'static str),
    /// It was null, the schema does not accept null, and the parameter is optional, so it was left out.
    Omitted,
    /// It stays a string, which the schema does not accept. Schema validation reports it to the model.
    Failed,
}

/// Typed arguments converted from strings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Legacy {
    /// The converted arguments.
    pub arguments: Arguments,
    /// The arguments that were converted or left out.
    pub coerced: Vec<Coercion>,
    /// The arguments that could not be converted.
    pub failed: Vec<Coercion>,
}

/// The maximum number of converted parameters.
const MAX_PARAMETERS: usize = 10_000;

/// Converts string arguments to the types in the tool's schema.
///
/// A string is converted only if the schema asks for another type: text that looks like JSON stays text for a
/// string parameter, and `""` never becomes 0. Of two parameters with the same name the last one counts.
///
/// ```
/// use windlass_protocol::{ToolName, ToolSpec};
/// use windlass_text_calls::parse_legacy;
/// let spec = ToolSpec::function(
///     ToolName::new("read_file")?,
///     "Reads a file.",
///     r#"{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer"}}}"#.parse()?,
/// );
/// let legacy = parse_legacy(&spec, [("path", "true"), ("line", "12")])?;
/// assert_eq!(legacy.arguments.as_str(), r#"{"path":"true","line":12}"#);
/// assert_eq!(legacy.coerced.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if there are more than 10,000 parameters, or if the arguments have more than 100,000 values.
pub fn parse_legacy<'a>(
    spec: &ToolSpec,
    parameters: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Legacy, ArgumentsError> {
    let mut parameters = parameters.into_iter();
    let tool = Tool::new(spec);
    let (mut coerced, mut failed) = (Vec::new(), Vec::new());
    // A slot is emptied when a later parameter has the same name.
    let mut members: Vec<Option<(&str, String)>> = Vec::new();
    let mut slots: HashMap<&str, usize> = HashMap::new();
    for (name, text) in parameters.by_ref().take(MAX_PARAMETERS) {
        let value = read(text, tool.kinds_of(name), tool.need(name));
        if let Some(outcome) = outcome(&value) {
            let list = if outcome == CoercionOutcome::Failed { &mut failed } else { &mut coerced };
            list.push(Coercion { tool: spec.name().to_string(), parameter: name.to_owned(), outcome });
        }
        if let Some(earlier) = slots.insert(name, members.len()).and_then(|slot| members.get_mut(slot)) {
            *earlier = None;
        }
        members.push(json(value, text).map(|json| (name, json)));
    }
    if parameters.next().is_some() {
        return Err(ArgumentsError::TooManyValues { limit: MAX_PARAMETERS });
    }
    let members = members.into_iter().flatten();
    let members: Vec<String> = members.map(|(name, json)| format!("{}:{json}", quote(name))).collect();
    // The members are JSON by construction and below the nesting limit, so only their number can be wrong.
    let arguments = Arguments::parse(format!("{{{}}}", members.join(",")))?;
    Ok(Legacy { arguments, coerced, failed })
}

/// Returns the outcome to report for a conversion, or `None` for a string that stays a string as the schema
/// asks.
pub(crate) fn outcome(reading: &TextConversion) -> Option<CoercionOutcome> {
    match reading {
        TextConversion::Json { kind, .. } => Some(CoercionOutcome::Became(kind)),
        TextConversion::Omitted => Some(CoercionOutcome::Omitted),
        TextConversion::Failed => Some(CoercionOutcome::Failed),
        _ => None,
    }
}

/// Returns the value as JSON, or `None` if it is left out.
pub(crate) fn json(reading: TextConversion, text: &str) -> Option<String> {
    match reading {
        TextConversion::Json { json, .. } => Some(json),
        TextConversion::Omitted => None,
        _ => Some(quote(text)),
    }
}

/// Converts one text to a type that the schema accepts. Accepts arrays and objects in Python syntax as well
/// as in JSON.
pub(crate) fn read(text: &str, wanted: AcceptedKinds, need: Need) -> TextConversion {
    let reading = TextConversion::convert(text, wanted, need);
    if wanted.is_text() || !matches!(reading, TextConversion::Text | TextConversion::Failed) {
        return reading;
    }
    let plain = text.trim();
    let kind = match plain.as_bytes().first() {
        Some(b'{') if wanted.takes(WantedKind::Object) => "object",
        Some(b'[') if wanted.takes(WantedKind::Array) => "array",
        _ => return reading,
    };
    match literal::to_json(plain).filter(|read| is_member(read)) {
        Some(json) => TextConversion::Json { json, kind },
        None => reading,
    }
}
