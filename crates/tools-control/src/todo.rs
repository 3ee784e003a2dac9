//! The list of what is to do: kept by the model, read by the application.

mod checklist;

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use windlass_tool::ToolError;

pub(crate) use self::checklist::Written;

/// The longest list, and the longest thing on it: a list that nobody can read helps nobody.
const MAX_ITEMS: usize = 100;
const MAX_TEXT_CHARS: usize = 500;

/// How far something on the list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "before, during, after")]
pub enum TodoState {
    /// Not begun.
    Pending,
    /// Begun.
    InProgress,
    /// Done.
    Completed,
}

/// Something to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TodoItem {
    /// What.
    pub text: String,
    /// How far it is.
    pub state: TodoState,
}

impl TodoItem {
    /// Something to do.
    pub fn new(text: impl Into<String>, state: TodoState) -> Self {
        Self { text: text.into(), state }
    }
}

/// The list of what is to do, shared between the tools that write and read it. Clones are the same list.
#[derive(Clone, Debug, Default)]
pub struct TodoList {
    items: Arc<Mutex<Vec<TodoItem>>>,
}

impl TodoList {
    /// All of it.
    pub fn items(&self) -> Vec<TodoItem> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The texts of what is not done.
    pub fn open(&self) -> Vec<String> {
        self.items()
            .into_iter()
            .filter(|item| item.state != TodoState::Completed)
            .map(|item| item.text)
            .collect()
    }

    /// Puts another list in its place, and says what it is now.
    pub(crate) fn replace(&self, items: Vec<TodoItem>) -> Result<String, ToolError> {
        check(&items)?;
        let text = shown(&items);
        *self.items.lock().unwrap_or_else(PoisonError::into_inner) = items;
        Ok(text)
    }
}

/// Refuses a list that nobody can read.
pub(crate) fn check(items: &[TodoItem]) -> Result<(), ToolError> {
    if items.len() > MAX_ITEMS {
        let met = items.len();
        return Err(ToolError::model(format!(
            "the list has {met} items and was not taken: at most {MAX_ITEMS} are; put small steps together"
        )));
    }
    for (item, number) in items.iter().zip(1_usize..) {
        let chars = item.text.chars().count();
        if item.text.trim().is_empty() || chars > MAX_TEXT_CHARS {
            return Err(ToolError::model(format!(
                "item {number} has {chars} characters and the list was not taken: an item has 1 to {MAX_TEXT_CHARS}"
            )));
        }
    }
    Ok(())
}

/// The list as the model is shown it.
fn shown(items: &[TodoItem]) -> String {
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
