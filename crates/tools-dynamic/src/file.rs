//! Tool files.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use windlass_protocol::{Hints, RawJson, Risk, ToolName, ToolSpec};

use crate::folder::FolderOwner;
use crate::template::Template;

/// Maximum size of a description, in bytes.
pub(crate) const DESCRIPTION_BYTES: usize = 10_000;

/// Error in a tool file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileProblem {
    /// The file cannot be read.
    #[error("it cannot be read")]
    Read(#[source] std::io::Error),
    /// The file is too long.
    #[error("it has more than {most} bytes")]
    TooLong {
        /// Maximum size, in bytes.
        most: u64,
    },
    /// The file is not a valid tool file; the source names line and key.
    #[error("it is not a valid tool file")]
    Toml(#[source] Box<toml::de::Error>),
    /// The value of a key is invalid.
    #[error("key {key}: {problem}")]
    Key {
        /// The key.
        key: &'static str,
        /// Description of the problem.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    description: String,
    argv: Vec<String>,
    #[serde(default)]
    schema: Option<Value>,
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    timeout_ms: Option<u64>,
    #[serde(default)]
    risk: Option<Risk>,
    #[serde(default)]
    read_only: Option<bool>,
}

/// Content of a tool file.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) spec: ToolSpec,
    pub(crate) hints: Hints,
    pub(crate) template: Template,
    pub(crate) cwd: Option<String>,
    pub(crate) timeout_ms: Option<u64>,
}

impl File {
    pub(crate) fn parse(path: &Path, text: &str, owner: FolderOwner) -> Result<Self, FileProblem> {
        let written: RawFile = toml::from_str(text).map_err(|error| FileProblem::Toml(Box::new(error)))?;
        let key = |key: &'static str, problem: String| FileProblem::Key { key, problem };
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let name = ToolName::new(name).map_err(|error| key("(the file's name)", error.to_string()))?;
        if written.description.trim().is_empty() || written.description.len() > DESCRIPTION_BYTES {
            return Err(key("description", format!("expected 1 to {DESCRIPTION_BYTES} bytes")));
        }
        only_a_users(owner, written.risk, written.read_only)?;
        let schema = schema(written.schema).map_err(|problem| key("schema", problem))?;
        let has_argument =
            |name: &str| schema.pointer("/properties").is_some_and(|all| all.get(name).is_some());
        let template = Template::new(&written.argv, has_argument).map_err(|problem| key("argv", problem))?;
        let reads = written.read_only.unwrap_or_default();
        let hints = if reads { Hints::read_only() } else { Hints::default() };
        let hints = Hints { risk: written.risk.unwrap_or(Risk::High), open_world: true, ..hints };
        Ok(Self {
            spec: ToolSpec::function(name, written.description, RawJson::from(&schema)),
            hints,
            template,
            cwd: written.cwd,
            timeout_ms: written.timeout_ms,
        })
    }
}

/// Refuses `risk` and `read_only` in a project's file: only a user's own file may lower the risk.
pub(crate) fn only_a_users(
    owner: FolderOwner,
    risk: Option<Risk>,
    read_only: Option<bool>,
) -> Result<(), FileProblem> {
    let key = match (owner, risk, read_only) {
        (FolderOwner::Project, Some(_), _) => "risk",
        (FolderOwner::Project, _, Some(_)) => "read_only",
        _ => return Ok(()),
    };
    let problem = "only the user's own file may set this: a project's file may come from a \
                   stranger"
        .to_owned();
    Err(FileProblem::Key { key, problem })
}

/// Completes the schema of the arguments: an object without additional properties unless the file allows
/// them.
fn schema(written: Option<Value>) -> Result<Value, String> {
    let written = match written {
        Some(Value::String(text)) => Some(serde_json::from_str(&text).map_err(|error| error.to_string())?),
        other => other,
    };
    let mut schema = object_schema(written)?;
    if let Some(members) = schema.as_object_mut() {
        members.entry("additionalProperties").or_insert(Value::Bool(false));
    }
    Ok(schema)
}

/// Checks that a schema is of type object, and adds the type if it is missing.
pub(crate) fn object_schema(written: Option<Value>) -> Result<Value, String> {
    let mut schema = written.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    let Some(members) = schema.as_object_mut() else { return Err("expected an object".to_owned()) };
    let kind = members.entry("type").or_insert_with(|| "object".into());
    if kind != "object" {
        return Err("the arguments of a tool are of the type object".to_owned());
    }
    Ok(schema)
}
