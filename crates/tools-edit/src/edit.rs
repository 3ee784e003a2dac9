//! `edit_file`: replaces a text in a file.

use std::sync::Arc;

use serde::Deserialize;
use windlass_protocol::{ErrorText, Payload, ToolSpec};
use windlass_sandbox::{Contents, MAX_FILE_BYTES, Workspace, WorkspacePath};
use windlass_text::{Charset, Text};
use windlass_tool::ToolError;
use windlass_tool_args::read_arguments;

use crate::effort::Effort;
use crate::find::{Matches, find};
use crate::joined::{decode, encode};
use crate::lines::{Likeness, LineEnds, Lines, split};
use crate::lone::{self, Edit, one_file_tool};
use crate::nearest::{numbers, report};
use crate::replace::{exact, forgiving};

const DESCRIPTION: &str = "Replaces a text in a file of the workspace. `old_text` must occur in the file \
                           exactly once, with its indentation and without line numbers; add lines around it \
                           until it does, or set `replace_all`. Everything else in the file stays as it is. \
                           For a new file use `write_file`.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"path":{"type":"string","description":"The file, relative to the workspace."},
"old_text":{"type":"string","description":"The text to replace, exactly as it is in the file."},
"new_text":{"type":"string","description":"The text that replaces it; empty to remove it."},
"replace_all":{"type":"boolean","description":"Replace it everywhere. Default false."},
"expected_count":{"type":"integer","minimum":1,"description":"Number of places that contain the text. If it is right, all of them are replaced, and otherwise none."}
},"required":["path","old_text","new_text"],"additionalProperties":false}"#;

/// Tool `edit_file`: replaces a text in one file of the workspace.
///
/// The old text has to match in one place. With `replace_all` or `expected_count` an exact match may have
/// several. The tool refuses a file that changed since the model read it. [`Tool::inspect`] reports the diff
/// before the call is approved.
///
/// [`Tool::inspect`]: windlass_tool::Tool::inspect
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
    /// Creates the tool for a workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace, spec: lone::spec("edit_file", DESCRIPTION, SCHEMA).with_eager_arguments() }
    }
}

one_file_tool!(EditFile, EditArguments);

impl Edit for EditArguments {
    fn read(payload: &Payload) -> Result<Self, ToolError> {
        read_arguments(payload)
    }

    fn path(&self) -> &str {
        &self.path
    }

    fn change(
        &self,
        path: &WorkspacePath,
        before: &Contents,
        effort: &Effort,
    ) -> Result<(Vec<u8>, String), ErrorText> {
        let (old, new) = (self.old_text.as_str(), self.new_text.as_str());
        check_texts(old, new)?;
        let text = decode(path, &before.bytes)?;
        let (lines, body) = (Lines::scan(&text), text.body());
        let found = find(&lines, old);
        self.check_places(path, &lines, &found, effort)?;
        self.check_length(path, body.len(), found.places.len())?;
        let ends = LineEnds::split(body);
        let mut after = String::with_capacity(body.len());
        let mut at = 0;
        for place in &found.places {
            after.push_str(body.get(at..place.start).unwrap_or(""));
            let replaced = match found.likeness {
                Likeness::Exact => exact(ends.line_end_near(place), old, new),
                likeness => {
                    forgiving((body, ends.line_end_near(place)), place, (old, new), likeness, effort).into()
                }
            };
            after.push_str(&replaced);
            at = place.end;
        }
        after.push_str(body.get(at..).unwrap_or(""));
        let count = found.places.len();
        let at = numbers(body, found.places.iter().map(|place| place.start));
        let how = found.likeness.forgiven().map(|how| format!(", {how}")).unwrap_or_default();
        let words = format!("edited {path}{}: {count} replaced, at line {at}{how}", name_encoding(&text));
        Ok((encode(path, &text, &after)?, words))
    }

    fn describe_near(&self, bytes: &[u8], effort: &Effort) -> Option<String> {
        let text = Text::decode(bytes).ok()?;
        report(&Lines::scan(&text), &lines_of(&self.old_text), effort).map(|near| near.problem)
    }
}

/// Names the encoding of a file in parentheses; empty for UTF-8.
pub(crate) fn name_encoding(text: &Text<'_>) -> String {
    match text.charset() {
        Charset::Utf8 => String::new(),
        charset => format!(" ({charset})"),
    }
}

fn lines_of(text: &str) -> Vec<&str> {
    split(text).into_iter().map(|line| line.text).collect()
}

fn check_texts(old: &str, new: &str) -> Result<(), ErrorText> {
    if old.is_empty() {
        return Err(ErrorText::new("old_text is empty")
            .with_advice("Give the text to replace, or use write_file for a new file."));
    }
    if old == new {
        return Err("old_text and new_text are the same; the edit would change nothing".into());
    }
    Ok(())
}

impl EditArguments {
    /// Refuses a replacement whose result is larger than any file may be, before it allocates the result.
    fn check_length(&self, path: &WorkspacePath, before: usize, places: usize) -> Result<(), ErrorText> {
        // Each `\n` of the new text may become `\r\n`.
        let added = self.new_text.len().saturating_add(self.new_text.matches('\n').count());
        let after = before.saturating_add(added.saturating_mul(places));
        let least = after.saturating_sub(self.old_text.len().saturating_mul(places));
        if least as u64 > MAX_FILE_BYTES {
            return Err(ErrorText::new(format!(
                "`{path}` would have over {MAX_FILE_BYTES} bytes after {places} replacements; nothing was changed"
            )));
        }
        Ok(())
    }

    fn check_places(
        &self,
        path: &WorkspacePath,
        lines: &Lines<'_>,
        found: &Matches,
        effort: &Effort,
    ) -> Result<(), ErrorText> {
        let count = found.places.len();
        let at = || numbers(lines.body, found.places.iter().map(|place| place.start));
        if count == 0 {
            let problem = format!("old_text does not occur in `{path}`; nothing was changed.");
            return Err(match report(lines, &lines_of(&self.old_text), effort) {
                Some(near) => near.map_problem(|near| format!("{problem} The nearest is {near}")),
                None => ErrorText::new(format!("{problem} No line is similar."))
                    .with_advice("Call read_file to see the content."),
            });
        }
        if let Some(expected) = self.expected_count
            && expected != count
        {
            return Err(ErrorText::new(format!(
                "old_text occurs in `{path}` {count} times and not {expected}, at lines {}; nothing was changed",
                at()
            ))
            .with_advice("Correct the count or the text."));
        }
        let all = self.replace_all == Some(true) || self.expected_count.is_some();
        // A tolerant match is a guess: a single match is certain enough, several matches are not.
        let exact = found.likeness == Likeness::Exact;
        if count > 1 && !(all && exact) {
            let forgiven = found.likeness.forgiven().map(|how| format!(". It matches only with {how}"));
            let advice = match forgiven {
                Some(_) => "Add lines around it until it is the only one.",
                None => "Add lines around it until it is the only one, or set replace_all.",
            };
            return Err(ErrorText::new(format!(
                "old_text occurs in `{path}` {count} times, at lines {}; nothing was changed{}",
                at(),
                forgiven.unwrap_or_default()
            ))
            .with_advice(advice));
        }
        Ok(())
    }
}
