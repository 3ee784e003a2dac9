//! Change of one file: planned, displayed and executed by the same steps for each tool.

use windlass_protocol::{Effect, ErrorText, Payload, ToolName, ToolSpec};
use windlass_sandbox::{Contents, ExpectedState, FileError, Look, Version, Workspace, WorkspacePath};
use windlass_text::{Room, Side, diff};
use windlass_tool::{Change, Context, EarlyArguments, Inspection, Output, ToolError, run_blocking};

use crate::effort::Effort;

/// Maximum number of diff lines in a result for the model.
pub(crate) const MAX_TOLD_LINES: usize = 200;

/// Planned change of one file.
#[derive(Debug)]
pub(crate) struct Lone {
    pub(crate) path: WorkspacePath,
    pub(crate) before: Contents,
    pub(crate) after: Vec<u8>,
    pub(crate) words: String,
}

/// Arguments of a call that change one file.
pub(crate) trait Edit: Send + Sized + 'static {
    /// Reads the arguments of a call.
    fn read(payload: &Payload) -> Result<Self, ToolError>;

    /// Returns the path as the model wrote it.
    fn path(&self) -> &str;

    /// Computes the new bytes of the file, and a summary for the model.
    fn change(
        &self,
        path: &WorkspacePath,
        before: &Contents,
        effort: &Effort,
    ) -> Result<(Vec<u8>, String), ErrorText>;

    /// Describes the file's text near the intended place, for a file that changed since the model read it.
    fn describe_near(&self, bytes: &[u8], effort: &Effort) -> Option<String>;
}

/// Implements `Tool` for a tool that changes one file. The tool has the fields `workspace` and `spec`, and its
/// arguments implement `Edit`.
macro_rules! one_file_tool {
    ($tool:ty, $arguments:ty) => {
        impl windlass_tool::Tool for $tool {
            fn spec(&self) -> &windlass_protocol::ToolSpec {
                &self.spec
            }

            fn hints(&self) -> windlass_protocol::Hints {
                windlass_protocol::Hints::default()
            }

            fn has_built_in_rules(&self) -> bool {
                true
            }

            fn effects(&self, payload: &Payload) -> Vec<windlass_protocol::Effect> {
                lone::effects(&self.workspace, payload)
            }

            fn early_effects(
                &self,
                complete: &windlass_tool::EarlyArguments,
            ) -> Vec<windlass_protocol::Effect> {
                lone::early_effects(&self.workspace, complete)
            }

            fn inspect(&self, payload: &Payload) -> windlass_tool::Inspection {
                lone::inspect(&self.workspace, payload, <$arguments>::read(payload).ok().as_ref())
            }

            fn aftermath(
                &self,
                planned: &[windlass_protocol::PlannedFile],
            ) -> windlass_protocol::ReconcileOutcome {
                self.workspace.aftermath(planned)
            }

            fn call<'a>(
                &'a self,
                ctx: &'a windlass_tool::Context,
                payload: &'a Payload,
            ) -> windlass_tool::ToolFuture<'a> {
                Box::pin(async move {
                    lone::run(ctx, Arc::clone(&self.workspace), <$arguments>::read(payload)?).await
                })
            }
        }
    };
}
pub(crate) use one_file_tool;

/// Plans a change without writing it.
pub(crate) fn plan(workspace: &Workspace, edit: &impl Edit, effort: &Effort) -> Result<Lone, ToolError> {
    let path = workspace.resolve(edit.path()).map_err(to_tool_error)?;
    let before = workspace.read(&path).map_err(to_tool_error)?;
    if workspace.last_seen_version(&before.path).is_some_and(|known| known != before.version) {
        return Err(stale(&path, edit, &before.bytes, effort));
    }
    let (after, words) = edit.change(&path, &before, effort).map_err(ToolError::model)?;
    if after == before.bytes {
        return Err(ToolError::model(format!(
            "`{path}` already has this content; the edit would change \
             nothing"
        )));
    }
    Ok(Lone { path, before, after, words })
}

/// Creates the error for a file that changed since the model read it, with the current text (RULES E5).
fn stale(path: &WorkspacePath, edit: &impl Edit, bytes: &[u8], effort: &Effort) -> ToolError {
    let near =
        edit.describe_near(bytes, effort).map(|near| format!(" Near the place it now contains, {near}"));
    let near = near.unwrap_or_default();
    ToolError::model(format!("`{path}` changed since it was read; nothing was changed.{near}"))
        .with_advice("Call read_file on it, then edit the current content.")
}

impl Lone {
    fn carry_out(
        &self,
        workspace: &Workspace,
        edit: &impl Edit,
        effort: &Effort,
    ) -> Result<Output, ToolError> {
        let is_known = workspace.last_seen_version(&self.before.path).is_some();
        let expected = ExpectedState::Unchanged(self.before.version);
        let written = match workspace.write(&self.path, &self.after, expected) {
            // Another process wrote the file after the plan: report its current text.
            Err(FileError::Stale { .. }) => {
                let now = workspace.read(&self.path).map_err(to_tool_error)?;
                return Err(stale(&self.path, edit, &now.bytes, effort));
            }
            written => written.map_err(to_tool_error)?,
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

/// Runs the whole call on a blocking thread. Cancelling the call and dropping the future stop it at any time
/// before it writes.
pub(crate) async fn run(
    ctx: &Context,
    workspace: std::sync::Arc<Workspace>,
    edit: impl Edit,
) -> Result<Output, ToolError> {
    run_blocking(ctx, move |stop| {
        let token = stop.clone();
        let effort = Effort::new(move || token.is_cancelled());
        if let Ok(path) = workspace.resolve(edit.path()) {
            workspace.consult_editor(&path);
        }
        let plan = plan(&workspace, &edit, &effort)?;
        if stop.is_cancelled() {
            return Err(ToolError::model("the call was stopped; nothing was changed"));
        }
        plan.carry_out(&workspace, &edit, &effort)
    })
    .await
}

/// Inspects the call: the target with the file's content, and the diff of the change.
pub(crate) fn inspect(workspace: &Workspace, payload: &Payload, edit: Option<&impl Edit>) -> Inspection {
    let Some(path) = path_of(payload) else { return Inspection::default() };
    let target = workspace.target(path, Look::Bytes);
    let is_linked = target.links > 1;
    let seen = Inspection::default().with_target(target);
    match edit.map(|edit| plan(workspace, edit, &Effort::default())) {
        Some(Ok(plan)) if !is_linked => {
            let (before, after) = (plan.before.version, Version::compute(&plan.after));
            let planned = workspace.plan_change(&plan.path, Some(before), Some(after));
            let change = Change::new(plan.path.to_string(), plan.diff(Room::default()));
            seen.with_change(change).with_planned([planned])
        }
        _ => seen,
    }
}

/// Returns the effect on the file, also if other arguments are invalid.
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

/// Creates a specification from a name and a schema that this crate defines and tests.
pub(crate) fn spec(name: &str, description: &str, schema: &str) -> ToolSpec {
    let name = ToolName::new(name).expect("the tool's name is a plain word");
    ToolSpec::function(name, description, schema.parse().expect("the tool's schema is JSON"))
}

fn to_tool_error(error: impl Into<ErrorText>) -> ToolError {
    ToolError::model(error)
}
