//! Arguments that a server requests as HTTP headers (`x-mcp-header`, 2026-07-28), so that proxies can route
//! calls.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The keyword of a property's schema, with the rest of the header's name as its value.
const KEYWORD: &str = "x-mcp-header";
/// Prefix of the headers. A server cannot request any other header.
const PREFIX: &str = "mcp-param-";
/// Maximum number of headers of a tool, and maximum length of one value in bytes.
const HEADERS: usize = 32;
const VALUE_BYTES: usize = 4 * 1024;

/// The headers of one tool's calls.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ParamHeaders(Vec<ParamHeader>);

#[derive(Debug, PartialEq, Eq)]
struct ParamHeader {
    /// Names of the properties from the arguments to the value.
    path: Vec<String>,
    name: HeaderName,
}

impl ParamHeaders {
    /// Reads the annotations of a schema. Returns the reason if one is not valid; the tool must then not be
    /// called.
    pub(crate) fn read(schema: &str) -> Result<Self, &'static str> {
        if !schema.contains(KEYWORD) {
            return Ok(Self::default());
        }
        let schema: Map<String, Value> =
            serde_json::from_str(schema).map_err(|_| "its schema is not an object")?;
        let mut headers = Vec::new();
        walk(&schema, &mut Some(Vec::new()), &mut headers)?;
        let names: BTreeSet<&str> = headers.iter().map(|header| header.name.as_str()).collect();
        if names.len() < headers.len() {
            return Err("two of its arguments have the same x-mcp-header");
        }
        if headers.len() > HEADERS {
            return Err("it has more than 32 arguments with x-mcp-header");
        }
        Ok(Self(headers))
    }

    /// Returns the headers of a call. Missing and null arguments have none. Returns an error if a value is
    /// too long.
    pub(crate) fn fill(&self, arguments: &RawValue) -> Result<Vec<(HeaderName, HeaderValue)>, &'static str> {
        let mut filled = Vec::new();
        for header in &self.0 {
            let Some(value) = find(arguments, &header.path).and_then(to_text) else { continue };
            if value.len() > VALUE_BYTES {
                return Err("an argument is sent as a header and is longer than 4096 bytes");
            }
            let value =
                HeaderValue::from_str(&encode(&value)).map_err(|_| "an argument cannot be a header")?;
            filled.push((header.name.clone(), value));
        }
        Ok(filled)
    }
}

/// Collects the annotations of a schema. `path` leads to the schema, or is `None` if it is reached by another
/// keyword than `properties`. The depth of the schema was checked before.
fn walk(
    schema: &Map<String, Value>,
    path: &mut Option<Vec<String>>,
    headers: &mut Vec<ParamHeader>,
) -> Result<(), &'static str> {
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            (KEYWORD, value) => headers.push(annotation(schema, value, path.as_deref().unwrap_or_default())?),
            // Values, not schemas.
            ("default" | "const" | "enum" | "examples", _) => {}
            ("properties", Value::Object(members)) => {
                for (name, member) in members {
                    let Value::Object(member) = member else { continue };
                    if let Some(path) = path {
                        path.push(name.clone());
                    }
                    walk(member, path, headers)?;
                    if let Some(path) = path {
                        path.pop();
                    }
                }
            }
            ("$defs" | "definitions" | "dependentSchemas" | "patternProperties", Value::Object(members)) => {
                for member in members.values().filter_map(Value::as_object) {
                    walk(member, &mut None, headers)?;
                }
            }
            (_, Value::Object(member)) => walk(member, &mut None, headers)?,
            (_, Value::Array(members)) => {
                for member in members.iter().filter_map(Value::as_object) {
                    walk(member, &mut None, headers)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn annotation(
    schema: &Map<String, Value>,
    value: &Value,
    path: &[String],
) -> Result<ParamHeader, &'static str> {
    if path.is_empty() {
        return Err("an x-mcp-header is not at a property of its arguments");
    }
    let name = value.as_str().filter(|name| !name.is_empty()).ok_or("an x-mcp-header has no name")?;
    if !matches!(schema.get("type").and_then(Value::as_str), Some("string" | "integer" | "boolean")) {
        return Err("an x-mcp-header is not at a text, an integer or a boolean");
    }
    let name = HeaderName::from_bytes(format!("{PREFIX}{name}").as_bytes());
    let name = name.map_err(|_| "an x-mcp-header is not a valid name of a header")?;
    Ok(ParamHeader { path: path.to_vec(), name })
}

/// Returns the raw value at a path, so that numbers keep their digits.
fn find<'a>(arguments: &'a RawValue, path: &[String]) -> Option<&'a RawValue> {
    path.iter().try_fold(arguments, |value, name| {
        let members: BTreeMap<String, &'a RawValue> = serde_json::from_str(value.get()).ok()?;
        members.get(name).copied()
    })
}

/// Returns a text, a number or a boolean as text.
fn to_text(value: &RawValue) -> Option<String> {
    let text = value.get().trim();
    match text.as_bytes().first()? {
        b'"' => serde_json::from_str(text).ok(),
        b't' | b'f' | b'-' | b'0'..=b'9' => Some(text.to_owned()),
        _ => None,
    }
}

/// Encodes a value that is not plain text, or that looks like an encoded one.
fn encode(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| (0x20..=0x7e).contains(&byte))
        && value.trim() == value
        && !(value.starts_with("=?base64?") && value.ends_with("?="));
    if is_plain { value.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(value)) }
}

#[cfg(test)]
mod tests;
