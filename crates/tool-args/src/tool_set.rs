//! Methods of a value as tools.

use std::sync::Arc;

use windlass_tool::Tool;

/// A value whose methods are tools: one `impl` block of its type has `#[toolset]`.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use windlass_tool_args::{ToolSet, toolset};
///
/// #[derive(Default)]
/// struct Store {
///     notes: Mutex<Vec<String>>,
/// }
///
/// #[toolset]
/// impl Store {
///     /// Appends a note and returns the number of notes.
///     #[tool(internal)]
///     async fn add_note(&self, text: String) -> usize {
///         let mut notes = self.notes.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
///         notes.push(text);
///         notes.len()
///     }
/// }
///
/// let store = Arc::new(Store::default());
/// assert_eq!(store.tools()[0].spec().name().as_str(), "add_note");
/// ```
#[diagnostic::on_unimplemented(
    message = "the methods of `{Self}` are not tools",
    note = "put `#[toolset]` on an `impl` block of the type, and `#[tool]` on its methods"
)]
pub trait ToolSet: Send + Sync + 'static {
    /// Returns one tool per method with `#[tool]`, in the order of the source. All of them share the value.
    #[must_use]
    fn tools(self: &Arc<Self>) -> Vec<Arc<dyn Tool>>;
}
