//! Parts of answers, and changes of what a reader sees of them.

use serde_json::Value;

/// Kind of a part of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    Text,
    Reasoning,
    Call { call: String, tool: String },
}

impl PartKind {
    /// Returns true if a draft of this kind can become a part of the other kind.
    pub(super) fn can_become(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Call { call, .. }, Self::Call { call: other, .. }) => call == other,
            _ => self == other,
        }
    }
}

/// Whole part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Whole {
    pub(crate) kind: PartKind,
    /// The text, or the arguments of a call.
    pub(crate) content: Value,
}

impl Whole {
    /// Returns the text of the part; for a call, its arguments as JSON, or the text of a call that takes text.
    pub(crate) fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// Change of the parts that a reader sees.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// A part begins.
    Begin { id: String, kind: PartKind },
    /// Text is appended to a part.
    Delta { id: String, kind: PartKind, text: String },
    /// The text of a part is complete.
    End { id: String, kind: PartKind },
    /// A call is complete. `has_draft` is true if its drafted text is not the arguments.
    Call { whole: Whole, has_other_draft: bool },
    /// Parts of the turn are void.
    Void { parts: Vec<(String, PartKind)> },
}
