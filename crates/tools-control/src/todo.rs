//! The to-do list, which the model maintains and the application can read.

mod checklist;

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use windlass_tool::ToolError;

pub(crate) use self::checklist::TodoArgument;

/// The maximum number of items. `MAX_TEXT_CHARS` is the maximum length of one; longer lists are not readable.
const MAX_ITEMS: usize = 100;
const MAX_TEXT_CHARS: usize = 500;

/// The progress of a to-do item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "before, during, after")]
pub enum TodoState {
    /// Not started.
    Pending,
    /// Started.
    InProgress,
    /// Done.
    Completed,
}

/// An item of the to-do list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TodoItem {
    /// The description of the work.
    pub text: String,
    /// The progress.
    pub state: TodoState,
}

impl TodoItem {
    /// Creates an item.
    pub fn new(text: impl Into<String>, state: TodoState) -> Self {
        Self { text: text.into(), state }
    }
}

/// The to-do list, shared between the tools that write and read it. Clones share the same list.
#[derive(Clone, Debug, Default)]
pub struct TodoList {
    items: Arc<Mutex<Vec<TodoItem>>>,
}

impl TodoList {
    /// Returns all items.
    pub fn items(&self) -> Vec<TodoItem> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the texts of the items that are not completed.
    pub fn open(&self) -> Vec<String> {
        self.items()
            .into_iter()
            .filter(|item| item.state != TodoState::Completed)
            .map(|item| item.text)
            .collect()
    }

    /// Replaces all items and returns the new list as text for the model.
    pub(crate) fn replace(&self, items: Vec<TodoItem>) -> Result<String, ToolError> {
        check(&items)?;
        let text = format_list(&items);
        *self.items.lock().unwrap_or_else(PoisonError::into_inner) = items;
        Ok(text)
    }
}

/// Refuses a list with too many items, or an item that is empty or too long.
pub(crate) fn check(items: &[TodoItem]) -> Result<(), ToolError> {
    if items.len() > MAX_ITEMS {
        let met = items.len();
        return Err(ToolError::model(format!(
            "the list has {met} items and was not stored: at most {MAX_ITEMS} are allowed"
        ))
        .with_advice("Combine small steps."));
    }
    for (item, number) in items.iter().zip(1_usize..) {
        let chars = item.text.chars().count();
        if item.text.trim().is_empty() || chars > MAX_TEXT_CHARS {
            return Err(ToolError::model(format!(
                "item {number} has {chars} characters and the list was not stored: an item has 1 to \
                 {MAX_TEXT_CHARS}"
            )));
        }
    }
    Ok(())
}

/// Returns the list as text for the model.
fn format_list(items: &[TodoItem]) -> String {
    if items.is_empty() {
        return "The list is now empty.".to_owned();
    }
    let done = items.iter().filter(|item| item.state == TodoState::Completed).count();
    let mut text = format!("The list is now ({done} of {} done):", items.len());
    for item in items {
        let _ = write!(text, "\n[{}] {}", checklist::mark(item.state), item.text);
    }
    text
}
