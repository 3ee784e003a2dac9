//! A change in one file: planned, shown and made by the same steps, whichever tool asked for it.

use windlass_protocol::{Effect, Payload, ToolName, ToolSpec};
use windlass_sandbox::{Contents, Expected, FileError, Look, Version, Workspace, WorkspacePath};
use windlass_text::{Room, Side, diff};
use windlass_tool::{Change, Context, EarlyArguments, Inspection, Output, ToolError};

use crate::effort::Effort;

/// How much of a change the model is told.
pub(crate) const MAX_TOLD_LINES: usize = 200;

/// What a call would do.
#[derive(Debug)]
pub(crate) struct Lone {
    pub(crate) path: WorkspacePath,
    pub(crate) before: Contents,
    pub(crate) after: Vec<u8>,
    pub(crate) words: String,
}

/// A call's arguments, and what they make of a file.
pub(crate) trait Edit: Send + 'static {
    /// The file, as the model wrote it.
    fn path(&self) -> &str;

    /// The bytes that the file would have, and what is said about it.
    fn change(
        &self,
        path: &WorkspacePath,
        before: &Contents,
        effort: &Effort,
    ) -> Result<(Vec<u8>, String), String>;

    /// The text of the file near the place that the call means, for a file that is another than was thought.
    fn near(&self, bytes: &[u8], effort: &Effort) -> Option<String>;
}

/// Plans a change; nothing is written.
pub(crate) fn plan(workspace: &Workspace, edit: &impl Edit, effort: &Effort) -> Result<Lone, ToolError> {
    let path = workspace.resolve(edit.path()).map_err(told)?;
    let before = workspace.read(&path).map_err(told)?;
    if workspace.remembered(&before.path).is_some_and(|known| known != before.version) {
        return Err(stale(&path, edit, &before.bytes, effort));
    }
    let (after, words) = edit.change(&path, &before, effort).map_err(ToolError::model)?;
    if after == before.bytes {
        return Err(ToolError::model(format!("`{path}` says this already; the edit would change nothing")));
    }
    Ok(Lone { path, before, after, words })
}

/// The file is another than the model knows: the current text goes with the refusal (RULES E5).
fn stale(path: &WorkspacePath, edit: &impl Edit, bytes: &[u8], effort: &Effort) -> ToolError {
    let near = edit.near(bytes, effort).map(|near| format!(" Near the place it now says, {near}"));
    ToolError::model(format!(
        "`{path}` changed since you read it; nothing was changed. Call read_file on it, then edit what is there.{}",
        near.unwrap_or_default()
    ))
}

impl Lone {
    fn carry_out(
        &self,
        workspace: &Workspace,
        edit: &impl Edit,
        effort: &Effort,
    ) -> Result<Output, ToolError> {
        let is_known = workspace.remembered(&self.before.path).is_some();
        let expected = Expected::Unchanged(self.before.version);
        let written = match workspace.write(&self.path, &self.after, expected) {
            // Another writer came between the look and the write: what it left is told.
            Err(FileError::Stale { .. }) => {
                let now = workspace.read(&self.path).map_err(told)?;
                return Err(stale(&self.path, edit, &now.bytes, effort));
            }
            written => written.map_err(told)?,
        };
        if is_known {
            workspace.remember(&written.path, written.version);
        }
        let diff = self.diff(Room::default().with_lines(MAX_TOLD_LINES));
        Ok(Output::text(format!("{}\n{diff}", self.words)))
    }

    fn diff(&self, room: Room) -> String {
        let name = self.path.to_string();
        diff(Some(Side::new(&name, &self.before.bytes)), Some(Side::new(&name, &self.after)), room)
    }
}

/// Runs the whole call on a thread for file work. Dropping the future lets one atomic step end.
pub(crate) async fn run(
    ctx: &Context,
    workspace: std::sync::Arc<Workspace>,
    edit: impl Edit,
) -> Result<Output, ToolError> {
    if ctx.cancellation().is_cancelled() {
        return Err(ToolError::model("the call was stopped before it began; nothing was changed"));
    }
    let token = ctx.cancellation().clone();
    let work = tokio::task::spawn_blocking(move || {
        let effort = Effort::until(move || token.is_cancelled());
        plan(&workspace, &edit, &effort)?.carry_out(&workspace, &edit, &effort)
    });
    // A panic fails this call and not the turn (RULES L8).
    work.await.map_err(|_| ToolError::model("the tool broke on this edit; nothing was changed"))?
}

/// What the call meets: its file with its bytes, and the diff that it would make.
pub(crate) fn inspect(workspace: &Workspace, payload: &Payload, edit: Option<&impl Edit>) -> Inspection {
    let Some(path) = path_of(payload) else { return Inspection::default() };
    let target = workspace.target(path, Look::Bytes);
    let is_linked = target.links > 1;
    let seen = Inspection::default().with_target(target);
    match edit.map(|edit| plan(workspace, edit, &Effort::default())) {
        Some(Ok(plan)) if !is_linked => {
            let (before, after) = (plan.before.version, Version::of(&plan.after));
            let planned = workspace.planned(&plan.path, Some(before), Some(after));
            let change = Change::new(plan.path.to_string(), plan.diff(Room::default()));
            seen.with_change(change).with_planned([planned])
        }
        _ => seen,
    }
}

/// The effect on the file, which is judged also where other arguments are wrong.
pub(crate) fn effects(workspace: &Workspace, payload: &Payload) -> Vec<Effect> {
    path_of(payload).map_or_else(|| vec![Effect::Unknown], |path| vec![write(workspace, path)])
}

pub(crate) fn early_effects(workspace: &Workspace, complete: &EarlyArguments) -> Vec<Effect> {
    complete.text("path").map(|path| write(workspace, path)).into_iter().collect()
}

fn write(workspace: &Workspace, path: &str) -> Effect {
    Effect::Write { path: workspace.effect_path(path), bytes: None }
}

fn path_of(payload: &Payload) -> Option<&str> {
    match payload {
        Payload::Function { arguments } | Payload::Mcp { arguments, .. } => arguments.get("path")?.as_str(),
        _ => None,
    }
}

/// The spec of a tool whose name and schema are written in this crate and tested.
pub(crate) fn spec(name: &str, description: &str, schema: &str) -> ToolSpec {
    let name = ToolName::new(name).expect("the tool's name is a plain word");
    ToolSpec::function(name, description, schema.parse().expect("the tool's schema is JSON"))
}

#[expect(clippy::needless_pass_by_value, reason = "used as a function for map_err")]
fn told(error: impl ToString) -> ToolError {
    ToolError::model(error.to_string())
}
