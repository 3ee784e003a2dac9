//! A tool's own arguments, filled from the steps of a parser.

mod value;

use windlass_partial_json::{Bookmark, JsonChange, Kind, NestedChange, Snapshot};

use crate::arguments::ToolArgs;
use crate::mismatch::{Mismatch, Mismatches, kind_words};

pub use value::ValuePartial;

/// Typed arguments that follow an external parser, such as the parser inside `windlass-assemble`. This type
/// does not parse; the cost of an update is linear in the changes since the last update.
///
/// ```
/// use windlass_partial_json::Parser;
/// use windlass_tool_args::{ToolArgs, TypedPartial};
///
/// #[derive(Debug, ToolArgs)]
/// struct WriteFile { path: String, content: String }
///
/// let (mut parser, mut typed) = (Parser::new(), TypedPartial::<WriteFile>::default());
/// parser.push(r#"{"path": "a.rs", "content": "fn ma"#)?;
/// assert_eq!(typed.update(parser.snapshot()).content.as_str(), "fn ma");
/// # Ok::<(), windlass_partial_json::Error>(())
/// ```
#[derive(Debug)]
pub struct TypedPartial<T: ToolArgs> {
    bookmark: Bookmark,
    filled: FilledPartial<T>,
}

impl<T: ToolArgs> Default for TypedPartial<T> {
    fn default() -> Self {
        let filled = FilledPartial {
            partial: T::Growing::default(),
            mismatches: Mismatches::new(),
            is_refused: false,
        };
        Self { bookmark: Bookmark::default(), filled }
    }
}

impl<T: ToolArgs> TypedPartial<T> {
    /// Applies the changes of a snapshot. All snapshots must come from the same parser.
    pub fn update(&mut self, snapshot: Snapshot<'_>) -> &T::Growing {
        let filled = &mut self.filled;
        for step in snapshot.steps(&mut self.bookmark) {
            if step.depth == 0 {
                filled.top(&step);
            } else if !filled.is_refused {
                T::grow(&mut filled.partial, &step, &mut filled.mismatches);
            }
        }
        &self.filled.partial
    }

    /// Returns the partial struct in its current state.
    pub fn partial(&self) -> &T::Growing {
        &self.filled.partial
    }

    /// Returns the first values that did not fit the type, at most 16.
    pub fn mismatches(&self) -> &[Mismatch] {
        self.filled.mismatches.list()
    }
}

/// A partial struct and the mismatches of its values.
#[derive(Debug)]
struct FilledPartial<T: ToolArgs> {
    partial: T::Growing,
    mismatches: Mismatches,
    /// True if the top-level value is not an object; its contents are then ignored.
    is_refused: bool,
}

impl<T: ToolArgs> FilledPartial<T> {
    /// Applies a step of the top-level value, which must be an object.
    #[cold]
    fn top(&mut self, step: &NestedChange<'_>) {
        match step.change {
            JsonChange::Begin { value, .. } | JsonChange::Whole { value, .. }
                if value.kind() != Kind::Object =>
            {
                self.is_refused = true;
                self.mismatches.add(value, "an object", kind_words(value.kind()));
            }
            JsonChange::End { value } if !self.is_refused => {
                T::settle(&mut self.partial, value, &mut self.mismatches);
            }
            _ => {}
        }
    }
}
