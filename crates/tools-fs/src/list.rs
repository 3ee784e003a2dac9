//! `list_files`: what is in a folder.

use std::sync::Arc;

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_sandbox::{Entry, Kind, Workspace, WorkspacePath};
use windlass_tool::{Context, EarlyArguments, Output, Tool, ToolError, ToolFuture, read_arguments};

use crate::blocking::{blocking, path_of, spec, told};

const DEFAULT_LIMIT: usize = 500;
const MAX_LIMIT: usize = 5_000;
const MAX_DEPTH: u64 = 20;
/// How many names are counted at the most, shown or not.
const MAX_COUNTED: usize = 100_000;

const DESCRIPTION: &str = "Lists what is in a folder of the workspace, sorted; folders end with `/`, links \
    show their target and are not followed. With `depth` above 1 it goes into folders, but not into `.git`. \
    To find text in files use `grep_file`.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"path":{"type":"string","description":"The folder, relative to the workspace. Default: the workspace itself."},
"depth":{"type":"integer","minimum":1,"maximum":20,"description":"How many levels to go down. Default 1."},
"limit":{"type":"integer","minimum":1,"maximum":5000,"description":"How many names to show. Default 500."}
},"required":[],"additionalProperties":false}"#;

/// The tool `list_files`.
#[derive(Debug)]
pub struct ListFiles {
    workspace: Arc<Workspace>,
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    depth: Option<u64>,
    #[serde(default)]
    limit: Option<usize>,
}

impl ListFiles {
    /// The tool on a workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace, spec: spec("list_files", DESCRIPTION, SCHEMA) }
    }
}

impl Tool for ListFiles {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        vec![Effect::Read { path: self.workspace.effect_path(path_of(payload).unwrap_or(".")) }]
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let effect = |path| Effect::Read { path: self.workspace.effect_path(path) };
        complete.text("path").map(effect).into_iter().collect()
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: ListArguments = read_arguments(payload)?;
            let workspace = Arc::clone(&self.workspace);
            let stop = ctx.cancellation().clone();
            blocking(ctx, move || list(&workspace, &arguments, &|| stop.is_cancelled())).await
        })
    }
}

fn list(
    workspace: &Workspace,
    arguments: &ListArguments,
    stopped: &dyn Fn() -> bool,
) -> Result<Output, ToolError> {
    let path = workspace.resolve(arguments.path.as_deref().unwrap_or(".")).map_err(told)?;
    let limit = arguments.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let depth = arguments.depth.unwrap_or(1).clamp(1, MAX_DEPTH);
    let mut shown = Vec::new();
    let mut counted: usize = 0;
    // A stack of folders still to be listed, with the names at each level in reverse, keeps the order of a
    // tree without recursion.
    let mut open = vec![(path.clone(), reversed(workspace, &path)?)];
    while let Some((folder, names)) = open.last_mut() {
        let Some(entry) = names.pop() else {
            open.pop();
            continue;
        };
        if counted >= MAX_COUNTED || stopped() {
            return Ok(Output::text(told_list(&path, &shown, &format!("at least {counted}"))));
        }
        counted += 1;
        let inner = folder.join(&entry.name);
        if shown.len() < limit {
            shown.push(line(workspace, &path, &inner, entry.kind));
        }
        let deeper = open.len() as u64 >= depth || entry.name == ".git";
        if entry.kind == Kind::Folder && !deeper {
            // A folder that cannot be opened, or is gone, is still named.
            let names = reversed(workspace, &inner).unwrap_or_default();
            open.push((inner, names));
        }
    }
    Ok(Output::text(told_list(&path, &shown, &counted.to_string())))
}

fn reversed(workspace: &Workspace, folder: &WorkspacePath) -> Result<Vec<Entry>, ToolError> {
    let mut names = workspace.list(folder).map_err(told)?;
    names.reverse();
    Ok(names)
}

fn line(workspace: &Workspace, root: &WorkspacePath, path: &WorkspacePath, kind: Kind) -> String {
    let below = path.relative().strip_prefix(root.relative()).unwrap_or(path.relative());
    let below = below.to_string_lossy();
    match kind {
        Kind::Folder => format!("{below}/"),
        Kind::Link => match workspace.link_target(path) {
            Ok(target) => format!("{below} -> {target}"),
            Err(_) => format!("{below} (a link)"),
        },
        Kind::File => below.into_owned(),
        _ => format!("{below} ({kind})"),
    }
}

fn told_list(path: &WorkspacePath, shown: &[String], total: &str) -> String {
    if shown.is_empty() {
        return format!("[{path} is an empty folder]");
    }
    let count = shown.len();
    let more = if count.to_string() == total { "" } else { "; give a deeper path or a larger limit" };
    format!("[{path}: {count} of {total} names{more}]\n{}", shown.join("\n"))
}
