//! Argument types of several shapes.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use windlass_tool_args::ToolArgs;

/// Writes a whole
/// file.
#[derive(Debug, PartialEq, ToolArgs)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteFile {
    /// The file, relative to
    /// the workspace.
    pub(crate) path: PathBuf,
    /// The whole content.
    pub(crate) content: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    Files,
    Lines,
}

#[derive(Clone, Debug, PartialEq, ToolArgs)]
pub(crate) struct Range {
    pub(crate) from: u32,
    #[serde(default = "last")]
    pub(crate) to: u32,
}

fn last() -> u32 {
    99
}

#[derive(Debug, PartialEq, ToolArgs)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Search {
    /// The text to find.
    pub(crate) look_for: String,
    #[serde(default)]
    pub(crate) in_paths: Vec<String>,
    pub(crate) max_results: Option<u64>,
    #[serde(rename = "a/b~c", alias = "old")]
    pub(crate) odd: Option<String>,
    #[tool_args(whole)]
    pub(crate) mode: Option<Mode>,
    pub(crate) ranges: Option<Vec<Range>>,
    pub(crate) main: Option<Range>,
    #[serde(default)]
    pub(crate) labels: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) counts: HashMap<String, i64>,
    pub(crate) ratio: Option<f64>,
    #[serde(default)]
    pub(crate) exact: bool,
    pub(crate) extra: Option<serde_json::Value>,
}

#[derive(Debug, PartialEq, ToolArgs)]
#[serde(default)]
pub(crate) struct Settings {
    pub(crate) name: String,
    pub(crate) depth: u8,
}

impl Default for Settings {
    fn default() -> Self {
        Self { name: "plain".into(), depth: 7 }
    }
}

/// A type that holds itself.
#[derive(Debug, PartialEq, ToolArgs)]
pub(crate) struct Tree {
    pub(crate) r#type: String,
    #[serde(default)]
    pub(crate) children: Vec<Self>,
    pub(crate) next: Option<Box<Self>>,
}

/// Names that generated code might have, too.
#[derive(Clone, Debug, PartialEq, ToolArgs)]
pub(crate) struct Odd {
    pub(crate) fits: bool,
    pub(crate) growing: Option<Box<Self>>,
    pub(crate) part: Option<Shadow>,
    pub(crate) step: Option<String>,
    pub(crate) object: Option<String>,
    #[serde(default)]
    pub(crate) mismatches: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, ToolArgs)]
pub(crate) struct Shadow {
    pub(crate) key: String,
}

#[derive(Debug, PartialEq, ToolArgs)]
pub(crate) struct Nothing {}
