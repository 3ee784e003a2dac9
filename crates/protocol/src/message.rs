//! Messages of the conversation.

use serde::{Deserialize, Serialize};

use crate::{Part, ToolCall, ToolResult};

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The developer, inside the conversation. The system prompt is `Request::system`.
    System,
    /// The human.
    User,
    /// The model.
    Assistant,
    /// The results of the model's calls.
    Tool,
}

/// A message: its author and its parts in order.
///
/// ```
/// use windlass_protocol::{Message, Role};
/// let message = Message::user("what is in README.md?");
/// assert_eq!(message.role, Role::User);
/// assert_eq!(message.text(), "what is in README.md?");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The parts in order.
    pub parts: Vec<Part>,
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Self::user(text)
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::user(text)
    }
}

impl From<&String> for Message {
    fn from(text: &String) -> Self {
        Self::user(text)
    }
}

impl Message {
    /// Creates a message of any role.
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self { role, parts }
    }

    /// Creates a message of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, vec![Part::text(text)])
    }

    /// Creates a message of the model.
    pub fn assistant(parts: Vec<Part>) -> Self {
        Self::new(Role::Assistant, parts)
    }

    /// Creates a message with the results of one answer's calls, in call order.
    pub fn results(results: impl IntoIterator<Item = ToolResult>) -> Self {
        Self::new(Role::Tool, results.into_iter().map(Part::Result).collect())
    }

    /// Appends a part, for example a picture to the user's words.
    pub fn with_part(mut self, part: impl Into<Part>) -> Self {
        self.parts.push(part.into());
        self
    }

    /// Returns the concatenated texts of the message, without a separator.
    pub fn text(&self) -> String {
        self.parts
            .iter()
            .filter_map(|part| match part {
                Part::Text(text) => Some(text.text.as_str()),
                _ => None,
            })
            .collect()
    }

    /// Iterates over the calls in the message, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            _ => None,
        })
    }
}
