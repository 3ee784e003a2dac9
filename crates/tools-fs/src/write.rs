//! `write_file`: a whole file, new or in place of one that the model has read.

use std::sync::Arc;
use std::time::Duration;

use similar::TextDiff;
use windlass_partial_json::Event;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_sandbox::{Contents, Expected, FileError, Workspace, WorkspacePath};
use windlass_tool::{
    Context, EarlyArguments, GrowingArguments, Output, Progress, Showing, Tool, ToolArgs, ToolError,
    ToolFuture, read_arguments,
};

use crate::blocking::{blocking, path_of, spec, told};

const MAX_DIFF_LINES: usize = 60;
const MAX_DIFF_BYTES: usize = 8_000;
const DIFF_TIME: Duration = Duration::from_millis(500);

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
            Some(path) => vec![Effect::Write { path: self.workspace.effect_path(path), bytes: None }],
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

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: WriteArguments = read_arguments(payload)?;
            let workspace = Arc::clone(&self.workspace);
            blocking(ctx, move || write(&workspace, &arguments)).await
        })
    }
}

fn write(workspace: &Workspace, arguments: &WriteArguments) -> Result<Output, ToolError> {
    let path = workspace.resolve(&arguments.path).map_err(told)?;
    let (content, note) = match unfenced(&arguments.path, &arguments.content) {
        Some(inner) => (inner, "; the code fence around the content was taken off"),
        None => (arguments.content.as_str(), ""),
    };
    let lines = content.lines().count();
    let text = match workspace.read(&path) {
        Err(FileError::NotFound { .. }) => {
            let written = workspace.write(&path, content.as_bytes(), Expected::Absent).map_err(told)?;
            workspace.remember(&written.path, written.version);
            format!("created {path} ({lines} lines{note})")
        }
        Err(error) => return Err(told(error)),
        Ok(before) if before.bytes == content.as_bytes() => {
            workspace.remember(&before.path, before.version);
            format!("{path} has exactly this content already; nothing was changed")
        }
        Ok(before) => {
            check_read(workspace, &path, &before)?;
            let expected = Expected::Unchanged(before.version);
            let written = workspace.write(&path, content.as_bytes(), expected).map_err(told)?;
            workspace.remember(&written.path, written.version);
            let diff = diff(&path, &String::from_utf8_lossy(&before.bytes), content);
            format!("overwrote {path} ({lines} lines{note})\n{diff}")
        }
    };
    Ok(Output::text(text))
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

fn diff(path: &WorkspacePath, before: &str, after: &str) -> String {
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(before, after);
    let whole = diff.unified_diff().header(&format!("a/{path}"), &format!("b/{path}")).to_string();
    let total = whole.lines().count();
    let mut shown = String::new();
    for (count, line) in whole.lines().enumerate() {
        if count == MAX_DIFF_LINES || shown.len() + line.len() > MAX_DIFF_BYTES {
            return format!("{shown}[{count} of {total} lines of the diff shown]\n");
        }
        shown.push_str(line);
        shown.push('\n');
    }
    shown
}

#[cfg(test)]
mod tests;
