//! `grep_file`: finds lines that match a pattern, in one file or many.

use std::sync::Arc;

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolName, ToolSpec};
use windlass_sandbox::{Look, Workspace};
use windlass_tool::{Context, EarlyArguments, Inspection, Output, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::show::grep;

const DESCRIPTION: &str = "Finds lines that match a regular expression (Rust and ripgrep syntax) in the \
    files of the workspace. Hidden, binary and git-ignored files are passed over. Results are \
    `path:line: text`, sorted by path; `mode` files or count gives names or numbers instead. Use it to find \
    where something is, then read_file around it.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"pattern":{"type":"string","description":"The regular expression; `\\` before . ( ) [ ] { } * + ? ^ $ | to mean the character itself."},
"path":{"type":"string","description":"A file or folder, relative to the workspace. Default: the workspace itself."},
"glob":{"type":"string","description":"Names of files, as `*.rs`, `*.{ts,tsx}` or `src/**/*.ts`; with `!` in front the files to leave out."},
"type":{"type":"string","description":"A type of files by ripgrep's name, as rust, py, js, ts, go, java, c, md."},
"mode":{"type":"string","enum":["lines","files","count"],"description":"Show matching lines, only the names of files that have some, or how many each has. Default lines."},
"ignore_case":{"type":"boolean","description":"Upper and lower case are the same. Default false."},
"literal":{"type":"boolean","description":"The pattern is plain text, not a regular expression. Default false."},
"multiline":{"type":"boolean","description":"A match may span lines, and `.` takes line ends too. Default false."},
"context":{"type":"integer","minimum":0,"maximum":10,"description":"Number of lines to show around each match. Default 0."},
"limit":{"type":"integer","minimum":1,"maximum":2000,"description":"Maximum number of matching lines, or files. Default 200."},
"offset":{"type":"integer","minimum":0,"description":"Number of matching lines, or files, to skip, to continue a result that was cut. Default 0."}
},"required":["pattern"],"additionalProperties":false}"#;

/// The tool `grep_file`.
#[derive(Debug)]
pub struct GrepFile {
    workspace: Arc<Workspace>,
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrepArguments {
    pub(crate) pattern: String,
    #[serde(default)]
    pub(crate) path: Option<String>,
    #[serde(default)]
    pub(crate) glob: Option<String>,
    #[serde(default)]
    pub(crate) r#type: Option<String>,
    #[serde(default)]
    pub(crate) mode: Option<Mode>,
    #[serde(default)]
    pub(crate) ignore_case: Option<bool>,
    #[serde(default)]
    pub(crate) literal: Option<bool>,
    #[serde(default)]
    pub(crate) multiline: Option<bool>,
    #[serde(default)]
    pub(crate) context: Option<usize>,
    #[serde(default)]
    pub(crate) limit: Option<u64>,
    #[serde(default)]
    pub(crate) offset: Option<u64>,
}

/// Kind of result.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    #[default]
    Lines,
    Files,
    Count,
}

impl GrepFile {
    /// Creates the tool for a workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace, spec: spec() }
    }
}

fn spec() -> ToolSpec {
    let name = ToolName::new("grep_file").expect("the tool's name is a plain word");
    ToolSpec::function(name, DESCRIPTION, SCHEMA.parse().expect("the tool's schema is JSON"))
}

impl Tool for GrepFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        match read_arguments::<GrepArguments>(payload) {
            Ok(arguments) => {
                let path = arguments.path.as_deref().unwrap_or(".");
                vec![Effect::Read { path: self.workspace.effect_path(path) }]
            }
            Err(_) => vec![Effect::Unknown],
        }
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let effect = |path| Effect::Read { path: self.workspace.effect_path(path) };
        complete.text("path").map(effect).into_iter().collect()
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        let Ok(arguments) = read_arguments::<GrepArguments>(payload) else { return Inspection::default() };
        let path = arguments.path.as_deref().unwrap_or(".");
        Inspection::default().with_target(self.workspace.target(path, Look::Place))
    }

    /// Dropping the future cancels the search, which checks the token before each piece of a file.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: GrepArguments = read_arguments(payload)?;
            let workspace = Arc::clone(&self.workspace);
            let stop = ctx.cancellation().child_token();
            let _stops_when_dropped = stop.clone().drop_guard();
            let limits = (ctx.redactor().clone(), ctx.path_gate().clone());
            let work = move || grep(&workspace, &arguments, limits, &|| stop.is_cancelled());
            // A panic fails this call and not the turn (RULES L8).
            let broken = |_| {
                ToolError::model("the search failed with an internal error on this pattern")
                    .with_advice("Try another one.")
            };
            tokio::task::spawn_blocking(work).await.map_err(broken)?.map(Output::text)
        })
    }
}
