//! `write_file`: writes a complete file, either new or in place of one that the model has read.

use std::sync::Arc;

use windlass_partial_json::Event;
use windlass_protocol::{Effect, Hints, Payload, PlannedFile, ReconcileOutcome, ToolSpec};
use windlass_sandbox::{Contents, ExpectedState, FileError, Look, Version, Workspace, WorkspacePath};
use windlass_text::{Charset, Room, Side, Text, count_noun, diff};
use windlass_tool::{
    CancellationToken, Change, Context, EarlyArguments, GrowingArguments, Inspection, Output, Progress,
    ProgressSink, Tool, ToolError, ToolFuture, run_blocking,
};
use windlass_tool_args::{ReadPartial as _, ToolArgs, read_arguments};

use crate::spec::{path_of, spec, to_tool_error};

const MAX_DIFF_LINES: usize = 60;
const MAX_DIFF_BYTES: usize = 8_000;

const DESCRIPTION: &str = "Writes a whole file: makes a new one, with its folders, or replaces one that you \
    have read in this session. For a change inside a file use `edit_file`. The content is written exactly as \
    given; a file in another encoding than UTF-8 keeps its own.";

const NEW_DESCRIPTION: &str = "Makes a new file, with its folders. An existing file is never replaced: for that \
    use `write_file`, for a change inside it `edit_file`. The content is written exactly as given.";

/// The tools `write_file` and `create_file`. The second one refuses a file that exists.
#[derive(Debug)]
pub struct WriteFile {
    workspace: Arc<Workspace>,
    existing: ExistingFile,
    spec: ToolSpec,
}

/// Treatment of a file that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExistingFile {
    Replace,
    Refuse,
}

#[derive(Debug, ToolArgs)]
#[serde(deny_unknown_fields)]
struct WriteArguments {
    /// The file, relative to the workspace.
    path: String,
    /// The whole content of the file, with its final newline.
    content: String,
}

impl WriteFile {
    /// Creates the tool `write_file` for a workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        let spec = spec("write_file", DESCRIPTION, WriteArguments::schema().as_str()).with_eager_arguments();
        Self { workspace, existing: ExistingFile::Replace, spec }
    }

    /// Creates the tool `create_file` for a workspace. It only makes new files.
    pub fn create_only(workspace: Arc<Workspace>) -> Self {
        let spec =
            spec("create_file", NEW_DESCRIPTION, WriteArguments::schema().as_str()).with_eager_arguments();
        Self { workspace, existing: ExistingFile::Refuse, spec }
    }
}

impl Tool for WriteFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { idempotent: self.existing == ExistingFile::Replace, ..Hints::default() }
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        effects(&self.workspace, payload)
    }

    /// Shows the path when it is complete, and the content while it streams.
    fn on_partial(&self, show: &mut ProgressSink<'_>, arguments: &mut GrowingArguments) {
        show_growing(show, arguments);
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        early_effects(&self.workspace, complete)
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        inspect(&self.workspace, payload, self.existing)
    }

    fn aftermath(&self, planned: &[PlannedFile]) -> ReconcileOutcome {
        self.workspace.aftermath(planned)
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(call(&self.workspace, ctx, payload, self.existing))
    }
}

fn effects(workspace: &Workspace, payload: &Payload) -> Vec<Effect> {
    let Some(path) = path_of(payload) else { return vec![Effect::Unknown] };
    let bytes = read_arguments::<WriteArguments>(payload).ok();
    let bytes = bytes.map(|arguments| content(&arguments).0.len() as u64);
    vec![Effect::Write { path: workspace.effect_path(path), bytes }]
}

fn early_effects(workspace: &Workspace, complete: &EarlyArguments) -> Vec<Effect> {
    let effect = |path| Effect::Write { path: workspace.effect_path(path), bytes: None };
    complete.text("path").map(effect).into_iter().collect()
}

fn show_growing(show: &mut ProgressSink<'_>, arguments: &mut GrowingArguments) {
    arguments.drain_events(|event| match event {
        Event::Complete { path: "/path", value } => {
            let path = value.as_str().unwrap_or_default();
            show.tell(Progress::Note(format!("wants to write {path}")));
        }
        Event::Grew { path: "/content", text } => show.tell(Progress::Output(text.to_owned())),
        _ => {}
    });
}

fn inspect(workspace: &Workspace, payload: &Payload, existing: ExistingFile) -> Inspection {
    let Some(path) = path_of(payload) else { return Inspection::default() };
    let target = workspace.target(path, Look::Bytes);
    let is_linked = target.links > 1;
    let seen = Inspection::default().with_target(target);
    let Ok(arguments) = read_arguments::<WriteArguments>(payload) else { return seen };
    match plan(workspace, &arguments, existing) {
        Ok(plan) if !is_linked => {
            let before = plan.before.as_ref().map(|before| before.version);
            let planned = workspace.plan_change(&plan.path, before, Some(Version::compute(&plan.after)));
            let change = Change::new(plan.path.to_string(), plan.diff(Room::default()));
            seen.with_change(change).with_planned([planned])
        }
        _ => seen,
    }
}

async fn call(
    workspace: &Arc<Workspace>,
    ctx: &Context,
    payload: &Payload,
    existing: ExistingFile,
) -> Result<Output, ToolError> {
    let arguments: WriteArguments = read_arguments(payload)?;
    let workspace = Arc::clone(workspace);
    run_blocking(ctx, move |stop| {
        if let Ok(path) = workspace.resolve(&arguments.path) {
            workspace.consult_editor(&path);
        }
        plan(&workspace, &arguments, existing)?.carry_out(&workspace, stop)
    })
    .await
}

/// Planned write. `inspect` shows it and `call` performs it, both from this plan.
struct Plan {
    path: WorkspacePath,
    lines: usize,
    after: Vec<u8>,
    note: String,
    before: Option<Contents>,
}

fn plan(
    workspace: &Workspace,
    arguments: &WriteArguments,
    existing: ExistingFile,
) -> Result<Plan, ToolError> {
    let path = workspace.resolve(&arguments.path).map_err(to_tool_error)?;
    let (content, note) = content(arguments);
    let lines = content.lines().count();
    let before = match workspace.read(&path) {
        Err(FileError::NotFound { .. }) => {
            let (after, note) = (content.as_bytes().to_vec(), note.to_owned());
            return Ok(Plan { path, lines, after, note, before: None });
        }
        Ok(_) if existing == ExistingFile::Refuse => {
            return Err(ToolError::model(format!("`{path}` exists already; nothing was written"))
                .with_advice("Change it with edit_file, or replace it with write_file after read_file."));
        }
        before => before.map_err(to_tool_error)?,
    };
    let (after, charset) = encode(&path, content, &before.bytes)?;
    let note = charset.map_or_else(|| note.to_owned(), |charset| format!("{note}, still in {charset}"));
    if before.bytes != after {
        check_read(workspace, &path, &before)?;
    }
    Ok(Plan { path, lines, after, note, before: Some(before) })
}

/// Returns the content in the encoding of the file that it replaces, with that encoding unless it is UTF-8.
fn encode(
    path: &WorkspacePath,
    content: &str,
    before: &[u8],
) -> Result<(Vec<u8>, Option<Charset>), ToolError> {
    match Text::decode(before) {
        Ok(text) if !matches!(text.charset(), Charset::Utf8 | Charset::Unknown) => {
            let bytes = text.encode(content).map_err(|error| {
                ToolError::model(format!("{error}, the encoding of `{path}`; nothing was written"))
                    .with_advice("Use other letters, or delete the file first and create it again in UTF-8.")
            })?;
            Ok((bytes, Some(text.charset())))
        }
        _ => Ok((content.as_bytes().to_vec(), None)),
    }
}

/// Returns the content to write, and a note about a removed code fence.
fn content(arguments: &WriteArguments) -> (&str, &'static str) {
    match strip_fence(&arguments.path, &arguments.content) {
        Some(inner) => (inner, "; the code fence around the content was taken off"),
        None => (arguments.content.as_str(), ""),
    }
}

impl Plan {
    fn carry_out(&self, workspace: &Workspace, stop: &CancellationToken) -> Result<Output, ToolError> {
        let Self { path, note, .. } = self;
        let lines = count_noun(self.lines, "line");
        let expected = match &self.before {
            Some(before) if before.bytes == self.after => {
                workspace.remember(&before.path, before.version);
                let text = format!("{path} has exactly this content already; nothing was changed");
                return Ok(Output::text(text));
            }
            Some(before) => ExpectedState::Unchanged(before.version),
            None => ExpectedState::Absent,
        };
        if stop.is_cancelled() {
            return Err(ToolError::model("the call was stopped; nothing was written"));
        }
        let written = workspace.write(path, &self.after, expected).map_err(to_tool_error)?;
        workspace.remember(&written.path, written.version);
        if self.before.is_none() {
            return Ok(Output::text(format!("created {path} ({lines}{note})")));
        }
        let diff = self.diff(Room::default().with_lines(MAX_DIFF_LINES).with_bytes(MAX_DIFF_BYTES));
        Ok(Output::text(format!("overwrote {path} ({lines}{note})\n{diff}")))
    }

    fn diff(&self, room: Room) -> String {
        let name = self.path.to_string();
        let before = self.before.as_ref().map(|before| Side::new(&name, &before.bytes));
        diff(before, Some(Side::new(&name, &self.after)), room)
    }
}

/// Refuses to replace content that the model has not read or that has changed since: it may be the user's
/// work (RULES E5).
fn check_read(workspace: &Workspace, path: &WorkspacePath, before: &Contents) -> Result<(), ToolError> {
    match workspace.last_seen_version(&before.path) {
        Some(version) if version == before.version => Ok(()),
        Some(_) => Err(ToolError::model(format!("`{path}` changed since it was read; nothing was written"))
            .with_advice("Call read_file on it again, then write it with those changes kept.")),
        None => Err(ToolError::model(format!(
            "`{path}` exists and was not read in this session; nothing was written"
        ))
        .with_advice("Call read_file on it first, or write to another path.")),
    }
}

/// Returns the content of a code fence around the whole text, unless the file is Markdown (RULES E7).
fn strip_fence<'c>(path: &str, content: &'c str) -> Option<&'c str> {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    if ["md", "mdx", "markdown", "mkd", "rmd", "qmd"].contains(&extension.as_str()) {
        return None;
    }
    let (opening, rest) = content.trim_start().split_once('\n')?;
    let language = opening.trim_end().strip_prefix("```")?;
    if !language.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-_#.".contains(letter)) {
        return None;
    }
    let inner = rest.trim_end().strip_suffix("```")?;
    let ends_line = inner.is_empty() || inner.ends_with('\n');
    (ends_line && !inner.lines().any(|line| line.starts_with("```"))).then_some(inner)
}

#[cfg(test)]
mod tests;
