//! Parses to-do lists in the form of Markdown checklists, which models write as readily as JSON.

use serde::Deserialize;
use windlass_tool::ToolError;

use super::{TodoItem, TodoState};

/// A list as the model wrote it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum TodoArgument {
    Items(Vec<TodoItem>),
    Checklist(String),
}

impl TodoArgument {
    /// Returns the items, or an error with the number of the first invalid line.
    pub(crate) fn items(self) -> Result<Vec<TodoItem>, ToolError> {
        match self {
            Self::Items(items) => Ok(items),
            Self::Checklist(text) => read(&text),
        }
    }
}

/// Returns the character between the brackets.
pub(crate) fn mark(state: TodoState) -> char {
    match state {
        TodoState::Pending => ' ',
        TodoState::InProgress => '~',
        TodoState::Completed => 'x',
    }
}

fn read(text: &str) -> Result<Vec<TodoItem>, ToolError> {
    let lines = text.lines().zip(1_usize..).filter(|(line, _)| !line.trim().is_empty());
    lines
        .map(|(line, number)| {
            item(line).ok_or_else(|| {
                ToolError::model(format!(
                    "line {number} of the list is not an item, and the list was not stored"
                ))
                .with_advice("Write each as `- [ ] what`, with [x] for done and [-] for started.")
            })
        })
        .collect()
}

fn item(line: &str) -> Option<TodoItem> {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let bare = match numbered.strip_prefix(['.', ')']) {
        Some(rest) if numbered.len() < line.len() => rest,
        _ => line.strip_prefix(['-', '*', '+']).unwrap_or(line),
    };
    let (inside, text) = bare.trim_start().strip_prefix('[')?.split_once(']')?;
    let state = match inside.trim() {
        "" => TodoState::Pending,
        "x" | "X" => TodoState::Completed,
        "-" | "~" => TodoState::InProgress,
        _ => return None,
    };
    // A link's brackets are followed by its address, an item's by white space.
    let text = text.strip_prefix(char::is_whitespace)?.trim();
    Some(TodoItem::new(text, state))
}

#[cfg(test)]
mod tests;
