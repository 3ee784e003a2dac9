//! The arguments of a call, complete or not.

use serde_json::Value;
use windlass_partial_json::{Parser, Snapshot};

use crate::code::Language;

/// Names of arguments that are paths, commands and contents of files, the most common first.
const PATHS: &[&str] =
    &["path", "file_path", "file", "filename", "notebook_path", "to", "folder", "directory"];
const COMMANDS: &[&str] = &["command", "cmd", "script"];
const CONTENTS: &[&str] =
    &["content", "contents", "new_string", "new_text", "new_str", "replace", "patch", "diff", "code", "text"];

/// Maximum length of an argument in a header, in bytes before it is cut to the width.
const HEADER_BYTES: usize = 1_000;

/// The arguments of a call.
#[derive(Debug, Default)]
pub(super) struct CallArguments {
    parser: Parser,
    /// Text of a call that takes text instead of JSON, or arguments that are not JSON.
    text: String,
    is_text: bool,
}

/// A text that the model writes into an argument.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenText<'a> {
    /// Name of the argument; empty for a call that takes text.
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    pub(super) language: Option<Language>,
}

impl CallArguments {
    pub(super) fn from_value(value: &Value) -> Self {
        let mut arguments = Self::default();
        match value {
            Value::String(text) => {
                arguments.is_text = true;
                arguments.text.clone_from(text);
            }
            Value::Null => {}
            other => arguments.push(&other.to_string()),
        }
        arguments
    }

    pub(super) fn push(&mut self, delta: &str) {
        // The first character decides whether a call takes text. After a later error the values before it stay.
        if !self.is_text && self.parser.push(delta).is_err() && self.parser.snapshot().root().is_none() {
            self.is_text = true;
        }
        if self.is_text {
            self.text.push_str(delta);
        }
    }

    fn snapshot(&self) -> Option<Snapshot<'_>> {
        (!self.is_text).then(|| self.parser.snapshot())
    }

    /// Returns the value of the first of these names that is a text.
    fn find(&self, names: &[&'static str]) -> Option<(&'static str, &str)> {
        let snapshot = self.snapshot()?;
        names.iter().find_map(|name| Some((*name, snapshot.get(name)?.as_str()?)))
    }

    /// Returns the path, the command or the shortest text of the arguments, for the header of the call.
    pub(super) fn headline(&self) -> Option<String> {
        if let Some((_, path)) = self.find(PATHS) {
            return Some(shorten(path));
        }
        if let Some((_, command)) = self.find(COMMANDS) {
            return Some(shorten(command));
        }
        let root = self.snapshot()?.root()?;
        let texts = root.members().filter_map(|(_, node)| node.as_str());
        texts
            .filter(|text| !text.is_empty() && !text.contains('\n'))
            .min_by_key(|text| text.len())
            .map(shorten)
    }

    /// Returns whether the headline is a path.
    pub(super) fn has_path(&self) -> bool {
        self.find(PATHS).is_some()
    }

    /// Returns the content that the model writes.
    pub(super) fn find_written_text(&self) -> Option<WrittenText<'_>> {
        if self.is_text {
            return (!self.text.is_empty()).then_some(WrittenText {
                name: "",
                text: &self.text,
                language: None,
            });
        }
        let language = self.find(PATHS).and_then(|(_, path)| Language::from_path(path));
        if let Some((name, text)) = self.find(CONTENTS) {
            let language = if name == "patch" || name == "diff" { None } else { language };
            return Some(WrittenText { name, text, language });
        }
        let (name, text) = self.find(COMMANDS)?;
        text.contains('\n').then_some(WrittenText { name, text, language: Some(Language::Bash) })
    }

    /// Returns the arguments as names and values on one line each, without those that the header or the content
    /// shows.
    pub(super) fn others(&self) -> Vec<(String, String)> {
        let headline = self.headline();
        let written = self.find_written_text().map(|written| written.name);
        let Some(root) = self.snapshot().and_then(Snapshot::root) else { return Vec::new() };
        let mut others = Vec::new();
        for (name, node) in root.members() {
            let text = match node.as_str() {
                Some(text) => shorten(text),
                None => node.to_value().map(|value| shorten(&value.to_string())).unwrap_or_default(),
            };
            let is_shown = Some(name) == written || headline.as_ref() == Some(&text);
            if !is_shown && !text.is_empty() {
                others.push((name.to_owned(), text));
            }
        }
        others
    }
}

fn shorten(text: &str) -> String {
    text.get(..text.floor_char_boundary(HEADER_BYTES)).unwrap_or(text).to_owned()
}
