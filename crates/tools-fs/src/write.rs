//! `write_file`: a whole file, new or in place of one that the model has read.

use std::sync::Arc;

use windlass_partial_json::Event;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_sandbox::{Contents, Expected, FileError, Look, Workspace, WorkspacePath};
use windlass_tool::{
    Change, Context, EarlyArguments, GrowingArguments, Inspection, Output, Progress, Showing, Tool, ToolArgs,
    ToolError, ToolFuture, read_arguments,
};

use crate::blocking::{blocking, path_of, spec, told};
use crate::diff::{MAX_SHOWN_BYTES, Sides};

const MAX_DIFF_LINES: usize = 60;
const MAX_DIFF_BYTES: usize = 8_000;

const DESCRIPTION: &str = "Writes a whole file: makes a new one, with its folders, or replaces one that you \
    have read in this session. For a change inside a file use `edit_file`. The content is written exactly as \
    given.";

/// The tool `write_file`.
#[derive(Debug)]
pub struct WriteFile {
    workspace: Arc<Workspace>,
    spec: ToolSpec,
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
    /// The tool on a workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace, spec: spec("write_file", DESCRIPTION, WriteArguments::schema().as_str()) }
    }
}

impl Tool for WriteFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { idempotent: true, ..Hints::default() }
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        match path_of(payload) {
            Some(path) => {
                let bytes = read_arguments::<WriteArguments>(payload).ok();
                let bytes = bytes.map(|arguments| content(&arguments).0.len() as u64);
                vec![Effect::Write { path: self.workspace.effect_path(path), bytes }]
            }
            None => vec![Effect::Unknown],
        }
    }

    /// Shows the path when it is whole, and the content as it grows.
    fn on_partial(&self, show: &mut Showing<'_>, arguments: &mut GrowingArguments) {
        arguments.drain_events(|event| match event {
            Event::Complete { path: "/path", value } => {
                let path = value.as_str().unwrap_or_default();
                show.tell(Progress::Note(format!("wants to write {path}")));
            }
            Event::Grew { path: "/content", text } => show.tell(Progress::Output(text.to_owned())),
            _ => {}
        });
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let effect = |path| Effect::Write { path: self.workspace.effect_path(path), bytes: None };
        complete.text("path").map(effect).into_iter().collect()
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        let Some(path) = path_of(payload) else { return Inspection::default() };
        let target = self.workspace.target(path, Look::Bytes);
        let is_linked = target.links > 1;
        let seen = Inspection::default().with_target(target);
        let Ok(arguments) = read_arguments::<WriteArguments>(payload) else { return seen };
        match plan(&self.workspace, &arguments) {
            Ok(plan) if !is_linked => {
                let diff = plan.diff(usize::MAX, MAX_SHOWN_BYTES);
                seen.with_change(Change::new(plan.path.to_string(), diff))
            }
            _ => seen,
        }
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: WriteArguments = read_arguments(payload)?;
            let workspace = Arc::clone(&self.workspace);
            blocking(ctx, move || plan(&workspace, &arguments)?.carry_out(&workspace)).await
        })
    }
}

/// What a call would do: looked at for a human, and done, by the same steps.
struct Plan<'a> {
    path: WorkspacePath,
    content: &'a str,
    note: &'static str,
    before: Option<Contents>,
}

fn plan<'a>(workspace: &Workspace, arguments: &'a WriteArguments) -> Result<Plan<'a>, ToolError> {
    let path = workspace.resolve(&arguments.path).map_err(told)?;
    let (content, note) = content(arguments);
    let before = match workspace.read(&path) {
        Err(FileError::NotFound { .. }) => None,
        Err(error) => return Err(told(error)),
        Ok(before) => {
            if before.bytes != content.as_bytes() {
                check_read(workspace, &path, &before)?;
            }
            Some(before)
        }
    };
    Ok(Plan { path, content, note, before })
}

/// What is written of the content, and what is said about it.
fn content(arguments: &WriteArguments) -> (&str, &'static str) {
    match unfenced(&arguments.path, &arguments.content) {
        Some(inner) => (inner, "; the code fence around the content was taken off"),
        None => (arguments.content.as_str(), ""),
    }
}

impl Plan<'_> {
    fn carry_out(&self, workspace: &Workspace) -> Result<Output, ToolError> {
        let (path, note, lines) = (&self.path, self.note, self.content.lines().count());
        let expected = match &self.before {
            Some(before) if before.bytes == self.content.as_bytes() => {
                workspace.remember(&before.path, before.version);
                let text = format!("{path} has exactly this content already; nothing was changed");
                return Ok(Output::text(text));
            }
            Some(before) => Expected::Unchanged(before.version),
            None => Expected::Absent,
        };
        let written = workspace.write(path, self.content.as_bytes(), expected).map_err(told)?;
        workspace.remember(&written.path, written.version);
        if self.before.is_none() {
            return Ok(Output::text(format!("created {path} ({lines} lines{note})")));
        }
        let diff = self.diff(MAX_DIFF_LINES, MAX_DIFF_BYTES);
        Ok(Output::text(format!("overwrote {path} ({lines} lines{note})\n{diff}")))
    }

    fn diff(&self, max_lines: usize, max_bytes: usize) -> String {
        let before = self.before.as_ref().map(|before| before.bytes.as_slice());
        let after = Some(self.content.as_bytes());
        Sides { path: &self.path.to_string(), before, after }.diff(max_lines, max_bytes)
    }
}

/// What the model never saw, or no longer knows, is not replaced: it may be the user's work (RULES E5).
fn check_read(workspace: &Workspace, path: &WorkspacePath, before: &Contents) -> Result<(), ToolError> {
    match workspace.remembered(&before.path) {
        Some(version) if version == before.version => Ok(()),
        Some(_) => Err(ToolError::model(format!(
            "`{path}` changed since you read it; nothing was written. Call read_file on it again, then write it with those changes kept"
        ))),
        None => Err(ToolError::model(format!(
            "`{path}` exists and you have not read it in this session; nothing was written. Call read_file on it first, or write to another path"
        ))),
    }
}

/// The content inside a code fence that wraps all of it, where the file is not Markdown (RULES E7).
fn unfenced<'c>(path: &str, content: &'c str) -> Option<&'c str> {
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
