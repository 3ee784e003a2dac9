//! The arguments of a call that are complete while others still stream.

use serde_json::{Map, Value};

/// The arguments of a call that are complete while others still stream: for early decisions and for showing.
/// Nothing makes `Arguments` of them, so no call can run with them (RULES J1).
///
/// ```
/// use windlass_tool::EarlyArguments;
///
/// let mut arguments = EarlyArguments::default();
/// arguments.insert("path", "src/lib.rs".into());
/// assert_eq!(arguments.text("path"), Some("src/lib.rs"));
/// assert_eq!(arguments.get("content"), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EarlyArguments {
    members: Map<String, Value>,
}

impl EarlyArguments {
    /// Adds an argument that is complete now. Of two with one name the later counts.
    pub fn insert(&mut self, name: impl Into<String>, value: Value) {
        self.members.insert(name.into(), value);
    }

    /// An argument, if it is complete.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.members.get(name)
    }

    /// An argument that is a string, if it is complete.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// How many arguments are complete.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether none is complete.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}
