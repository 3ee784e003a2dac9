//! Arguments of a call that are complete while other arguments still stream.

use serde_json::{Map, Value};

/// The arguments of a call that are complete while other arguments still stream. They serve early decisions
/// and display. They cannot be converted into `Arguments`, so no call can run with them (RULES J1).
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
    /// Adds an argument that is now complete. A later value replaces an earlier value of the same name.
    pub fn insert(&mut self, name: impl Into<String>, value: Value) {
        self.members.insert(name.into(), value);
    }

    /// Returns an argument if it is complete.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.members.get(name)
    }

    /// Returns an argument if it is complete and a string.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// Returns the number of complete arguments.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns `true` if no argument is complete.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}
