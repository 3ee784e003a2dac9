//! Tools in a process's list.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use windlass_protocol::{Hints, RawJson, Risk, ToolName, ToolSpec};

use super::ProcessFile;
use crate::FolderOwner;
use crate::file::{DESCRIPTION_BYTES, object_schema};

/// Maximum number of tools of one process.
const MOST_TOOLS: usize = 100;
/// Maximum number of bytes of an invalid tool's name in messages.
const NAME_SHOWN: usize = 64;

/// A tool in a process's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedTool {
    pub(crate) spec: ToolSpec,
    pub(crate) hints: Hints,
}

/// A listed tool that is not offered, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OmittedTool {
    /// Name of the tool, or the start of its invalid definition.
    pub name: String,
    /// Reason.
    pub why: String,
}

impl OmittedTool {
    pub(crate) fn new(name: &str, why: impl Into<String>) -> Self {
        let head = name.get(..name.floor_char_boundary(NAME_SHOWN)).unwrap_or_default();
        Self { name: head.escape_debug().to_string(), why: why.into() }
    }
}

impl fmt::Display for OmittedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the tool {} is left out: {}", self.name, self.why)
    }
}

#[derive(Deserialize)]
struct RawTool {
    name: String,
    description: String,
    #[serde(default)]
    schema: Option<Value>,
    #[serde(default)]
    read_only: Option<bool>,
}

/// Parses a list. An invalid tool does not affect the others (RULES N5). Returns `None` if it is not an
/// array.
pub(crate) fn read(raw: &RawValue, file: &ProcessFile) -> Option<(Vec<ListedTool>, Vec<OmittedTool>)> {
    let raws: Vec<&RawValue> = serde_json::from_str(raw.get()).ok()?;
    let (mut listed, mut left_out, mut names) = (Vec::new(), Vec::new(), BTreeSet::new());
    for raw in raws.iter().take(MOST_TOOLS) {
        match one(raw.get(), file) {
            Ok(tool) if names.insert(tool.spec.name().clone()) => listed.push(tool),
            Ok(tool) => left_out.push(OmittedTool::new(tool.spec.name().as_str(), "it is listed twice")),
            Err(problem) => left_out.push(problem),
        }
    }
    let more = raws.len().saturating_sub(MOST_TOOLS);
    if more > 0 {
        let why = format!("{MOST_TOOLS} tools of a process are taken, and {more} more are in the list");
        left_out.push(OmittedTool::new("(more)", why));
    }
    Some((listed, left_out))
}

fn one(raw: &str, file: &ProcessFile) -> Result<ListedTool, OmittedTool> {
    let written: RawTool = serde_json::from_str(raw)
        .map_err(|error| OmittedTool::new(raw, format!("it is not a tool definition: {error}")))?;
    let refused = |why: String| OmittedTool::new(&written.name, why);
    let name = ToolName::new(&written.name).map_err(|error| refused(error.to_string()))?;
    if written.description.trim().is_empty() || written.description.len() > DESCRIPTION_BYTES {
        return Err(refused(format!("expected a description of 1 to {DESCRIPTION_BYTES} bytes")));
    }
    let schema =
        object_schema(written.schema.clone()).map_err(|why| refused(format!("its schema: {why}")))?;
    // A project's process may be untrusted, so its `read_only` is ignored.
    let reads = file.read_only || (file.owner == FolderOwner::User && written.read_only == Some(true));
    let hints = if reads { Hints::read_only() } else { Hints::default() };
    let hints = Hints { risk: file.risk.unwrap_or(Risk::High), open_world: true, ..hints };
    Ok(ListedTool {
        spec: ToolSpec::function(name, written.description.clone(), RawJson::from(&schema)),
        hints,
    })
}
