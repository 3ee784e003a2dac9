//! `edit_file`: one text in a file for another.

use std::sync::Arc;

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolName, ToolSpec};
use windlass_sandbox::{Contents, Expected, Look, Workspace, WorkspacePath};
use windlass_tool::{
    Change, Context, EarlyArguments, Inspection, Output, Tool, ToolError, ToolFuture, read_arguments,
};

use crate::diff::{MAX_SHOWN_BYTES, MAX_TOLD_LINES, diff};
use crate::find::{Found, find};
use crate::nearest::{around, nearest_line, numbers};
use crate::replace::{exact, forgiving};

const DESCRIPTION: &str = "Replaces a text in a file of the workspace. `old_text` must stand in the file \
    exactly once, with its indentation and without line numbers; add lines around it until it does, or say \
    `replace_all`. Everything else in the file stays as it is. For a new file use `write_file`.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"path":{"type":"string","description":"The file, relative to the workspace."},
"old_text":{"type":"string","description":"The text to replace, exactly as it stands in the file."},
"new_text":{"type":"string","description":"What takes its place; empty to remove it."},
"replace_all":{"type":"boolean","description":"Replace it everywhere. Default false."},
"expected_count":{"type":"integer","minimum":1,"description":"In how many places the text stands; all of them are replaced if this is right, none if not."}
},"required":["path","old_text","new_text"],"additionalProperties":false}"#;

/// The tool `edit_file`.
#[derive(Debug)]
pub struct EditFile {
    workspace: Arc<Workspace>,
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EditArguments {
    path: String,
    old_text: String,
    new_text: String,
    #[serde(default)]
    replace_all: Option<bool>,
    #[serde(default)]
    expected_count: Option<usize>,
}

impl EditFile {
    /// The tool on a workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace, spec: spec() }
    }
}

fn spec() -> ToolSpec {
    let name = ToolName::new("edit_file").expect("the tool's name is a plain word");
    ToolSpec::function(name, DESCRIPTION, SCHEMA.parse().expect("the tool's schema is JSON"))
}

impl Tool for EditFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::default()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        match path_of(payload) {
            Some(path) => vec![Effect::Write { path: self.workspace.effect_path(path), bytes: None }],
            None => vec![Effect::Unknown],
        }
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
        let Ok(arguments) = read_arguments::<EditArguments>(payload) else { return seen };
        match plan(&self.workspace, &arguments) {
            Ok(plan) if !is_linked => {
                seen.with_change(Change::new(plan.path.to_string(), plan.diff(usize::MAX, MAX_SHOWN_BYTES)))
            }
            _ => seen,
        }
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: EditArguments = read_arguments(payload)?;
            if ctx.cancellation().is_cancelled() {
                return Err(ToolError::model("the call was stopped before it began; nothing was changed"));
            }
            let workspace = Arc::clone(&self.workspace);
            let work =
                tokio::task::spawn_blocking(move || plan(&workspace, &arguments)?.carry_out(&workspace));
            // A panic fails this call and not the turn (RULES L8).
            work.await.map_err(|_| ToolError::model("the tool broke on this edit; nothing was changed"))?
        })
    }
}

/// The `path` argument by itself, for effects: it is judged also where other arguments are wrong.
fn path_of(payload: &Payload) -> Option<&str> {
    match payload {
        Payload::Function { arguments } | Payload::Mcp { arguments, .. } => arguments.get("path")?.as_str(),
        _ => None,
    }
}

/// What a call would do: looked at for a human, and done, by the same steps.
struct Plan {
    path: WorkspacePath,
    before: Contents,
    after: Vec<u8>,
    is_known: bool,
    words: String,
}

fn plan(workspace: &Workspace, arguments: &EditArguments) -> Result<Plan, ToolError> {
    let (old, new) = (arguments.old_text.as_str(), arguments.new_text.as_str());
    check_texts(old, new)?;
    let path = workspace.resolve(&arguments.path).map_err(told)?;
    let before = workspace.read(&path).map_err(told)?;
    let text = decode(&path, &before.bytes)?;
    // The mark at the start belongs to the file and not to its first line.
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - body.len();
    let found = find(body, old);
    let known = workspace.remembered(&before.path);
    if known.is_some_and(|known| known != before.version) {
        return Err(stale(&path, body, old, &found));
    }
    check_places(&path, body, arguments, &found)?;
    let mut after = text.get(..mark).unwrap_or("").to_owned();
    let mut at = 0;
    for place in &found.places {
        after.push_str(body.get(at..place.start).unwrap_or(""));
        let replaced =
            if found.exact { exact(body, place, old, new) } else { forgiving(body, place, old, new) };
        after.push_str(&replaced);
        at = place.end;
    }
    after.push_str(body.get(at..).unwrap_or(""));
    if after == text {
        return Err(ToolError::model(format!("`{path}` says this already; the edit would change nothing")));
    }
    let count = found.places.len();
    let lines = numbers(body, found.places.iter().map(|place| place.start));
    let how = if found.exact { "" } else { ", white space at line ends forgiven" };
    let words = format!("edited {path}: {count} replaced, at line {lines}{how}");
    Ok(Plan { path, before, after: after.into_bytes(), is_known: known.is_some(), words })
}

impl Plan {
    fn carry_out(&self, workspace: &Workspace) -> Result<Output, ToolError> {
        let expected = Expected::Unchanged(self.before.version);
        let written = workspace.write(&self.path, &self.after, expected).map_err(told)?;
        if self.is_known {
            workspace.remember(&written.path, written.version);
        }
        Ok(Output::text(format!("{}\n{}", self.words, self.diff(MAX_TOLD_LINES, usize::MAX))))
    }

    fn diff(&self, max_lines: usize, max_bytes: usize) -> String {
        let name = self.path.to_string();
        let (before, after) = ((name.as_str(), &*self.before.bytes), (name.as_str(), &*self.after));
        diff(Some(before), Some(after), max_lines, max_bytes)
    }
}

fn check_texts(old: &str, new: &str) -> Result<(), ToolError> {
    if old.is_empty() {
        return Err(ToolError::model(
            "old_text is empty; give the text to replace, or use write_file for a new file",
        ));
    }
    if old == new {
        return Err(ToolError::model("old_text and new_text are the same; the edit would change nothing"));
    }
    Ok(())
}

fn decode<'b>(path: &WorkspacePath, bytes: &'b [u8]) -> Result<&'b str, ToolError> {
    if bytes.contains(&0) {
        return Err(ToolError::model(format!("`{path}` is a binary or UTF-16 file and is not edited here")));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        ToolError::model(format!("`{path}` is not UTF-8 text (byte {at}) and is not edited here"))
    })
}

fn check_places(
    path: &WorkspacePath,
    body: &str,
    arguments: &EditArguments,
    found: &Found,
) -> Result<(), ToolError> {
    let count = found.places.len();
    let lines = || numbers(body, found.places.iter().map(|place| place.start));
    if count == 0 {
        return Err(missing(path, body, &arguments.old_text));
    }
    if let Some(expected) = arguments.expected_count
        && expected != count
    {
        return Err(ToolError::model(format!(
            "old_text stands in `{path}` {count} times and not {expected}, at lines {}; nothing was changed. Correct the count or the text",
            lines()
        )));
    }
    let all = arguments.replace_all == Some(true) || arguments.expected_count.is_some();
    // Forgiving matches are guesses: in one place they are sure enough, in several they are not.
    if count > 1 && !(all && found.exact) {
        return Err(ToolError::model(format!(
            "old_text stands in `{path}` {count} times, at lines {}; nothing was changed. Add lines around it until it is the only one{}",
            lines(),
            if found.exact {
                ", or say replace_all"
            } else {
                "; it matches only with white space at line ends forgiven"
            }
        )));
    }
    Ok(())
}

fn missing(path: &WorkspacePath, body: &str, old: &str) -> ToolError {
    let near = match nearest_line(body, old) {
        Some(line) => format!("The nearest is at line {line}:\n{}", around(body, line)),
        None => "No line is like it; call read_file to see what is there".to_owned(),
    };
    ToolError::model(format!("old_text does not stand in `{path}`; nothing was changed. {near}"))
}

/// The file is another than the model knows: the current text goes with the refusal (RULES E5).
fn stale(path: &WorkspacePath, body: &str, old: &str, found: &Found) -> ToolError {
    let line = match found.places.first() {
        Some(place) => Some(crate::lines::number_at(body, place.start)),
        None => nearest_line(body, old),
    };
    let near = line.map(|line| format!(" Near the place it now says:\n{}", around(body, line)));
    ToolError::model(format!(
        "`{path}` changed since you read it; nothing was changed. Call read_file on it, then edit what is there.{}",
        near.unwrap_or_default()
    ))
}

#[expect(clippy::needless_pass_by_value, reason = "used as a function for map_err")]
fn told(error: impl ToString) -> ToolError {
    ToolError::model(error.to_string())
}
