//! State that the calls of a tool share.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A parameter of a `#[tool]` function that is not an argument of the model, but state that the application passes when
/// it creates the tool: a database, a client, a cache. All calls share the value, and it dereferences to the value.
///
/// The macro recognizes the parameter by the name of its type, `State<..>`. The tool's constructor takes one value per
/// such parameter, as `T`, `Arc<T>` or `State<T>`. The parameter may be a pattern: `State(db): State<Db>` is an `Arc<Db>`.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use windlass_tool_args::{State, Tool, tool};
///
/// /// Appends a note and returns the number of notes.
/// #[tool(internal)]
/// fn add_note(text: String, notes: State<Mutex<Vec<String>>>) -> usize {
///     let mut notes = notes.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
///     notes.push(text);
///     notes.len()
/// }
///
/// let notes = Arc::new(Mutex::new(Vec::new()));
/// let tool = AddNote(notes.clone());
/// assert_eq!(tool.spec().name().as_str(), "add_note");
/// ```
#[expect(clippy::exhaustive_structs, reason = "a function may take the `Arc` apart in its parameter")]
pub struct State<T: ?Sized>(pub Arc<T>);

impl<T: ?Sized> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> Clone for State<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> From<T> for State<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T: ?Sized> From<Arc<T>> for State<T> {
    fn from(value: Arc<T>) -> Self {
        Self(value)
    }
}

impl<T: ?Sized> fmt::Debug for State<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value may hold keys, and need not implement `Debug`.
        f.debug_struct("State").finish_non_exhaustive()
    }
}
