//! A tool as its server defines it, identified by a digest.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use windlass_hitl::display_safe;
use windlass_protocol::{Arguments, RawJson, Risk};

use crate::McpLimits;
use crate::hex::hex;
use crate::server::is_tool_name;
use crate::transport::message::object;
use crate::transport::scan::Scan;

/// Name of the permission to read a server's resources: MCP's own name of the request.
const READING: &str = "resources/read";
/// Maximum length of a refused tool's name in messages, in bytes.
const NAME_SHOWN: usize = 128;

/// A tool as its server defines it.
///
/// The fingerprint pins the definition: a tool with another fingerprint needs a new acceptance. All texts
/// come from the server and are untrusted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Definition {
    /// The server's id in the configuration.
    pub server: String,
    /// A digest of the server's command with its arguments, or of its URL.
    pub origin: String,
    /// The server's own name for the tool.
    pub name: String,
    /// The server's description of the tool. It is untrusted.
    pub description: String,
    /// The JSON Schema of the arguments, with sorted keys and without duplicate keys, so that the fingerprint
    /// covers exactly the text that the model reads.
    pub input_schema: RawJson,
    /// A digest of name, title, description, schemas and annotations (SECURITY "MCP").
    pub fingerprint: String,
    /// The whole definition in lines, with a warning if it contains invisible characters. The server's
    /// characters are not escaped: use [`display_url`](Self::display) to display it.
    pub text: String,
    /// The risk of a call, from the tool's annotations.
    pub(crate) risk: Risk,
    /// The definition as the server sent it.
    listed: RawJson,
}

/// A tool that was refused, and the reason. Both texts are safe to display.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedTool {
    /// The tool's name, cut at 128 bytes and with invisible characters escaped. It is the start of the
    /// definition if no name could be read.
    pub name: String,
    /// The reason.
    pub why: String,
}

#[derive(Deserialize)]
struct ListedTool<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(borrow, default, rename = "inputSchema")]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "outputSchema")]
    output_schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    annotations: Option<&'a RawValue>,
}

impl Definition {
    /// Parses one member of a list of tools. An invalid tool is refused alone (RULES N5).
    pub(crate) fn read(
        raw: &str,
        server: &str,
        origin: &str,
        limits: &McpLimits,
    ) -> Result<Self, RefusedTool> {
        if raw.len() > limits.tool_bytes {
            let why = format!(
                "its definition has {} bytes, at most {} are \
                 allowed",
                raw.len(),
                limits.tool_bytes
            );
            return Err(RefusedTool::new(raw, why));
        }
        let depth = Scan::depth_of(raw);
        if depth > limits.schema_depth {
            let why = format!(
                "its definition is nested {depth} levels deep, at most {} are \
                 allowed",
                limits.schema_depth
            );
            return Err(RefusedTool::new(raw, why));
        }
        let listed: ListedTool<'_> =
            object(raw).map_err(|error| RefusedTool::new(raw, format!("it is not a tool: {error}")))?;
        let name = listed.name.clone();
        Self::from_listed(listed, raw, server, origin).map_err(|why| RefusedTool::new(&name, why.to_owned()))
    }

    /// Returns the whole definition in lines, with invisible characters escaped, for display.
    pub fn display(&self) -> String {
        display_safe(&self.text)
    }

    /// Returns a definition that represents reading the server's resources, so that a human can accept it
    /// like a tool. Its name contains a slash, which names of tools cannot.
    pub(crate) fn reading(server: &str, origin: String) -> Self {
        let schema = r#"{"properties":{"uri":{"type":"string"}},"required":["uri"],"type":"object"}"#;
        let description = "Reads any resource of this server.";
        let parts = [READING, "", description, schema, "", ""];
        Self {
            server: server.to_owned(),
            origin,
            fingerprint: fingerprint(&parts),
            text: lines(&parts),
            risk: Risk::High,
            input_schema: schema.parse().expect("it is JSON"),
            listed: format!(r#"{{"inputSchema":{schema},"name":"{READING}"}}"#).parse().expect("it is JSON"),
            name: READING.to_owned(),
            description: description.to_owned(),
        }
    }

    /// Returns the definition as the server sent it: a member of the result of `tools/list`. A server that sends
    /// it again offers a tool with the same fingerprint.
    pub fn as_listed(&self) -> &RawJson {
        &self.listed
    }

    fn from_listed(
        listed: ListedTool<'_>,
        raw: &str,
        server: &str,
        origin: &str,
    ) -> Result<Self, &'static str> {
        if !is_tool_name(&listed.name) {
            return Err("a name has 1 to 128 letters, digits, dots, dashes and underscores");
        }
        if is_of_another(&listed.name) {
            return Err("its name can be confused with the name of another server's tool");
        }
        let input = canonical(listed.input_schema)?.ok_or("it has no schema for its arguments")?;
        let output = canonical(listed.output_schema)?;
        let annotations = canonical(listed.annotations)?;
        let (title, description) = (listed.title.unwrap_or_default(), listed.description.unwrap_or_default());
        let parts = [
            listed.name.as_ref(),
            &title,
            &description,
            &input,
            output.as_deref().unwrap_or_default(),
            annotations.as_deref().unwrap_or_default(),
        ];
        Ok(Self {
            server: server.to_owned(),
            origin: origin.to_owned(),
            fingerprint: fingerprint(&parts),
            text: lines(&parts),
            risk: risk(annotations.as_deref()),
            input_schema: input.parse().map_err(|_| "its schema is not JSON")?,
            listed: raw.parse().map_err(|_| "its definition is not JSON")?,
            name: listed.name.into_owned(),
            description,
        })
    }
}

impl RefusedTool {
    pub(crate) fn new(name: &str, why: String) -> Self {
        let head = name.get(..name.floor_char_boundary(NAME_SHOWN)).unwrap_or_default();
        Self { name: display_safe(head), why }
    }
}

/// Returns whether a model could mistake the name for that of another server's tool (RULES N2).
fn is_of_another(name: &str) -> bool {
    let plain = name.to_ascii_lowercase().replace(['-', '.'], "_");
    plain.starts_with("mcp__")
}

/// Returns canonical JSON with sorted keys. Of duplicate keys the last one counts. Only objects are accepted.
fn canonical(raw: Option<&RawValue>) -> Result<Option<String>, &'static str> {
    let Some(raw) = raw else { return Ok(None) };
    let object = Arguments::parse(raw.get()).map_err(|_| "a schema or its annotations are not an object")?;
    Ok(Some(object.canonical()))
}

fn fingerprint(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    hash.update(b"windlass mcp tool 1");
    for part in parts {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hex(&hash.finalize())
}

/// Returns the risk of a call. Annotations only raise it: the base is `Risk::High`, and `destructiveHint`
/// makes it `Risk::Critical`.
fn risk(annotations: Option<&str>) -> Risk {
    let annotations: Value = annotations.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    if annotations.get("destructiveHint") == Some(&json!(true)) { Risk::Critical } else { Risk::High }
}

/// Returns the definition in lines. If it contains invisible characters, the first line is a warning with
/// their number.
fn lines(parts: &[&str; 6]) -> String {
    let [name, title, description, schemas @ ..] = parts;
    let mut body = format!("name: {name}\n");
    if !title.is_empty() {
        let _ = writeln!(body, "title: {}", title.replace('\n', "\n  "));
    }
    let _ = writeln!(body, "description:\n  {}", description.replace('\n', "\n  "));
    for (label, schema) in ["arguments", "output", "annotations"].iter().zip(schemas) {
        if let Ok(value) = serde_json::from_str::<Value>(schema) {
            let _ = writeln!(body, "{label}: {value:#}");
        }
    }
    let is_hidden = |letter: &char| display_safe(letter.encode_utf8(&mut [0; 4])).len() > letter.len_utf8();
    match body.chars().filter(is_hidden).count() {
        0 => body,
        count => format!("WARNING: {count} characters that cannot be seen are written as escapes\n{body}"),
    }
}
