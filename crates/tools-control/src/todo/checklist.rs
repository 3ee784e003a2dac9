//! A list of what is to do as a Markdown checklist, which models write as gladly as JSON.

use serde::Deserialize;
use windlass_tool::ToolError;

use super::{TodoItem, TodoState};

/// A list as the model wrote it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Written {
    Items(Vec<TodoItem>),
    Checklist(String),
}

impl Written {
    /// The items, or which line is none.
    pub(crate) fn items(self) -> Result<Vec<TodoItem>, ToolError> {
        match self {
            Self::Items(items) => Ok(items),
            Self::Checklist(text) => read(&text),
        }
    }
}

/// The letter between the brackets.
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
                    "line {number} of the list is no item, and the list was not taken; write each as `- [ ] what`, \
                     with [x] for done and [-] for begun"
                ))
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
    // A link in brackets is followed by its address, an item by a space.
    let text = text.strip_prefix(char::is_whitespace)?.trim();
    Some(TodoItem::new(text, state))
}

#[cfg(test)]
mod tests;
