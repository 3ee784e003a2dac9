//! `delete_file`: removes a file, a link or a folder, but never the target of a link or the workspace itself.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use windlass_protocol::{Effect, ErrorText, Hints, Payload, PlannedFile, ReconcileOutcome, Risk, ToolSpec};
use windlass_sandbox::{FileError, FoundEntry, Kind, Look, Workspace, WorkspacePath};
use windlass_text::{MAX_SHOWN_BYTES, Room, Side, count_noun, diff};
use windlass_tool::{
    Change, Context, EarlyArguments, Inspection, Output, PathGate, Tool, ToolError, ToolFuture, run_blocking,
};
use windlass_tool_args::read_arguments;

use crate::spec::{path_of, spec, to_tool_error};

/// Maximum number of names that one call removes: as many as a human can review.
const MAX_NAMES: usize = 1_000;

const DESCRIPTION: &str = "Removes a file, a link (its target stays) or an empty folder of the workspace; with \
    `recursive` also a folder with what is in it, at most 1000 names. It cannot be undone.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"path":{"type":"string","description":"The path to remove, relative to the workspace."},
"recursive":{"type":"boolean","description":"Also a folder that has something in it. Default false."}
},"required":["path"],"additionalProperties":false}"#;

/// The tool `delete_file`.
///
/// ```
/// use std::sync::Arc;
/// use windlass_protocol::Risk;
/// use windlass_sandbox::Workspace;
/// use windlass_tool::Tool;
/// use windlass_tools_fs::DeleteFile;
/// let folder = tempfile::tempdir()?;
/// let tool = DeleteFile::new(Arc::new(Workspace::open(folder.path())?));
/// assert_eq!(tool.hints().risk, Risk::High);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DeleteFile {
    workspace: Arc<Workspace>,
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeleteArguments {
    path: String,
    #[serde(default)]
    recursive: Option<bool>,
}

/// Planned removal. `within` lists the content of a folder, each name before its parent folder.
struct Plan {
    path: WorkspacePath,
    kind: Kind,
    within: Vec<FoundEntry>,
}

impl DeleteFile {
    /// Creates the tool for a workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace, spec: spec("delete_file", DESCRIPTION, SCHEMA) }
    }
}

impl Tool for DeleteFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { risk: Risk::High, ..Hints::default() }
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        let Some(path) = path_of(payload) else { return vec![Effect::Unknown] };
        let path = self.workspace.effect_path(path);
        vec![if is_recursive(payload) { Effect::DeleteTree { path } } else { Effect::Delete { path } }]
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let effect = |path| Effect::Delete { path: self.workspace.effect_path(path) };
        complete.text("path").map(effect).into_iter().collect()
    }

    /// Reports every name that would be removed as a target, so that rules apply to the content of a folder
    /// too.
    fn inspect(&self, payload: &Payload) -> Inspection {
        let Some(path) = path_of(payload) else { return Inspection::default() };
        let mut seen = Inspection::default().with_target(self.workspace.target(path, Look::Bytes));
        // Links in the parent path are followed, so report the real parent folder too.
        let effect_path = self.workspace.effect_path(path);
        if let Some((folder, _)) = effect_path.rsplit_once('/').filter(|(folder, _)| !folder.is_empty()) {
            seen = seen.with_target(self.workspace.target(folder, Look::Place));
        }
        let Ok(arguments) = read_arguments::<DeleteArguments>(payload) else { return seen };
        let Ok(plan) = plan(&self.workspace, &arguments) else { return seen };
        for found in &plan.within {
            seen = seen.with_target(self.workspace.target(&found.path.to_string(), Look::Place));
        }
        // Only for a file can its bytes show after a crash if the call removed it.
        let before = (plan.kind == Kind::File).then(|| self.workspace.read(&plan.path).ok()).flatten();
        let planned = before.map(|before| self.workspace.plan_change(&plan.path, Some(before.version), None));
        plan.changes(&self.workspace).into_iter().fold(seen, Inspection::with_change).with_planned(planned)
    }

    fn aftermath(&self, planned: &[PlannedFile]) -> ReconcileOutcome {
        self.workspace.aftermath(planned)
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: DeleteArguments = read_arguments(payload)?;
            let workspace = Arc::clone(&self.workspace);
            let gate = ctx.path_gate().clone();
            run_blocking(ctx, move |stop| {
                let plan = plan(&workspace, &arguments)?;
                plan.check(&gate)?;
                plan.carry_out(&workspace, &|| stop.is_cancelled())
            })
            .await
        })
    }
}

/// Returns true if a folder is removed with its content. Effects need this even if other arguments are
/// invalid.
fn is_recursive(payload: &Payload) -> bool {
    match payload {
        Payload::Function { arguments } | Payload::Mcp { arguments, .. } => {
            arguments.get("recursive").is_some_and(|value| *value != Value::Bool(false) && !value.is_null())
        }
        _ => true,
    }
}

fn plan(workspace: &Workspace, arguments: &DeleteArguments) -> Result<Plan, ToolError> {
    let path = workspace.resolve(&arguments.path).map_err(to_tool_error)?;
    let kind = workspace.kind_of_name(&path).map_err(to_tool_error)?;
    let mut within = Vec::new();
    if kind == Kind::Folder {
        within = workspace.list_below(&path, MAX_NAMES).map_err(to_tool_error)?;
        if !within.is_empty() && arguments.recursive != Some(true) {
            return Err(ToolError::model(format!(
                "`{path}` is a folder with {} in it; nothing was removed",
                count_noun(within.len(), "name")
            ))
            .with_advice("Set `recursive` to remove all of it."));
        }
        within.reverse();
    }
    Ok(Plan { path, kind, within })
}

impl Plan {
    /// Refuses the whole removal if policy refuses one of its names: a file may have been created since the
    /// decision.
    fn check(&self, gate: &PathGate) -> Result<(), ToolError> {
        let refused = self.within.iter().find(|found| !gate.is_open() && !gate.removes(&found.path.plain()));
        refused.map_or(Ok(()), |found| {
            let path = &found.path;
            Err(ToolError::model(format!("a rule refuses to remove `{path}`; nothing was removed")))
        })
    }

    fn carry_out(&self, workspace: &Workspace, stopped: &dyn Fn() -> bool) -> Result<Output, ToolError> {
        let (path, total) = (&self.path, self.within.len());
        for (count, found) in self.within.iter().enumerate() {
            let cut = |why: ErrorText| {
                ToolError::model(why.map_problem(|why| {
                    format!(
                        "{why}; {count} of {} in `{path}` are removed, the others remain",
                        count_noun(total, "name")
                    )
                }))
            };
            if stopped() {
                return Err(cut("the call was stopped".into()));
            }
            remove(workspace, &found.path, found.kind).map_err(|error| cut(error.into()))?;
        }
        if stopped() {
            let left = if total > 0 {
                "; its content is removed, the empty folder remains"
            } else {
                "; nothing was removed"
            };
            return Err(ToolError::model(format!("the call was stopped{left}")));
        }
        remove(workspace, path, self.kind).map_err(to_tool_error)?;
        let held =
            if total > 0 { format!(" with {} in it", count_noun(total, "name")) } else { String::new() };
        let stays = if self.kind == Kind::Link { "; its target remains" } else { "" };
        Ok(Output::text(format!("removed `{path}`, {}{held}{stays}", self.kind)))
    }

    /// Returns the lost content as diffs. Links and folders have no content of their own.
    fn changes(&self, workspace: &Workspace) -> Vec<Change> {
        let mut room = MAX_SHOWN_BYTES;
        let all = self.within.iter().map(|found| (&found.path, found.kind)).chain([(&self.path, self.kind)]);
        all.map(|(path, kind)| {
            let name = path.to_string();
            let diff = match kind {
                Kind::File => describe_lost(workspace, path, room),
                kind => format!("[{kind} is removed]\n"),
            };
            room = room.saturating_sub(diff.len());
            Change::new(name, diff)
        })
        .collect()
    }
}

/// Returns the diff of a removed file, or its size if the file is too long to show.
fn describe_lost(workspace: &Workspace, path: &WorkspacePath, room: usize) -> String {
    let len = workspace.stream(path).map(|stream| stream.len());
    let contents = match len {
        Ok(len) if len <= MAX_SHOWN_BYTES as u64 && room > 0 => workspace.read(path).ok(),
        _ => None,
    };
    match (contents, len) {
        (Some(contents), _) => {
            let name = path.to_string();
            diff(Some(Side::new(&name, &contents.bytes)), None, Room::default().with_bytes(room))
        }
        (None, Ok(len)) => format!("[a file of {len} bytes is removed]\n"),
        (None, Err(_)) => "[a file is removed]\n".to_owned(),
    }
}

fn remove(workspace: &Workspace, path: &WorkspacePath, kind: Kind) -> Result<(), FileError> {
    match kind {
        Kind::Folder => workspace.remove_folder(path),
        _ => workspace.remove_name(path).map(drop),
    }
}
