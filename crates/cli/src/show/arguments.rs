//! Renders the arguments of a call while the model writes them.

use windlass_hitl::{display_line, display_safe};
use windlass_partial_json::{Event as JsonEvent, Kind, Parser};
use windlass_protocol::CallId;
use windlass_screen::Role;

use super::Show;
use crate::paint::{Painted, Painter};

/// Columns before the name of an argument, and before each level below it.
const INDENT: usize = 4;
const STEP: usize = 2;

/// The arguments of a call that the model writes.
#[derive(Debug, Default)]
pub(super) struct GrowingArguments {
    parser: Parser,
}

impl GrowingArguments {
    /// Appends a delta, and renders it: each value under its name or its number, strings while they grow.
    fn push(&mut self, delta: &str, painter: Painter) -> Painted {
        // A later `CallMalformed` event reports text that is not JSON.
        let _ = self.parser.push(delta);
        let mut styled = Painted::default();
        self.parser.drain_events(|event| match event {
            JsonEvent::Began { path, kind, .. } if !path.is_empty() => {
                styled.append(&painter.paint(Role::Faint, &render_label(path, kind)));
            }
            JsonEvent::Grew { path, text, .. } => {
                let break_in = format!("\n{}", " ".repeat(count_columns(path).saturating_add(STEP)));
                styled.append(&painter.paint(Role::Code, &display_safe(text).replace('\n', &break_in)));
            }
            JsonEvent::Complete { value, .. } => {
                let word = value.number_text().or(match value.as_bool() {
                    Some(true) => Some("true"),
                    Some(false) => Some("false"),
                    None if value.kind() == Kind::Null => Some("null"),
                    None => None,
                });
                styled.append(&painter.paint(Role::Code, word.unwrap_or_default()));
            }
            _ => {}
        });
        styled
    }
}

/// Returns the columns before the label of a value.
fn count_columns(path: &str) -> usize {
    let level = path.matches('/').count().saturating_sub(1);
    INDENT.saturating_add(STEP.saturating_mul(level))
}

/// Returns the label of a value on a line of its own: the name of a member with a colon, or the number of an element,
/// counted from 1.
fn render_label(path: &str, kind: Kind) -> String {
    let name = path.rsplit('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
    // A member whose name is a number looks like an element: both are in the recorded call.
    let label = match name.parse::<u64>() {
        Ok(index) => format!("{}.", index.saturating_add(1)),
        Err(_) => format!("{}:", display_line(&name)),
    };
    let space = if matches!(kind, Kind::Object | Kind::Array) { "" } else { " " };
    format!("\n{}{label}{space}", " ".repeat(count_columns(path)))
}

impl Show {
    /// Renders a delta of a call's arguments.
    pub(super) fn arguments(&mut self, call: &CallId, delta: &str) -> Painted {
        let painter = self.painter;
        self.growing.get_mut(call).map(|growing| growing.push(delta, painter)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Regression test for the finding "command-line C, rule ids and lists": the lines began with `todos/0/text`.
    #[test]
    fn nested_arguments_are_rendered_as_a_list() {
        let json =
            r#"{"todos": [{"text": "one\ntwo", "done": true}, {"text": "b"}], "a/b": 1, "ids": [7, null]}"#;
        let expected = "\n    todos:\n      1.\n        text: one\n          two\n        done: true\n      2.\n        text: b\
                        \n    a/b: 1\n    ids:\n      1. 7\n      2. null";
        let (mut whole, mut pieces) = (GrowingArguments::default(), GrowingArguments::default());
        let painter = Painter::default();
        assert_eq!(whole.push(json, painter).as_str(), expected);
        let mut styled = Painted::default();
        for character in json.chars() {
            styled.append(&pieces.push(&character.to_string(), painter));
        }
        assert_eq!(styled.as_str(), expected);
    }
}
