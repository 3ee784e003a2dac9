//! A flattened field while it streams: its members are members of the surrounding object.

use windlass_partial_json::{NestedChange, Node};

use super::Partial;
use crate::ToolArgs;
use crate::mismatch::Mismatches;

impl<T: ToolArgs> Partial<T> {
    /// Applies a step of the surrounding object that concerns a member of this value.
    #[doc(hidden)]
    pub fn apply_flat(&mut self, step: &NestedChange<'_>, mismatches: &mut Mismatches) {
        if let Some(growing) = self.begin_flat() {
            T::grow(growing, step, mismatches);
        }
    }

    /// Completes this value once the surrounding object has ended. Returns whether the value is complete.
    #[doc(hidden)]
    pub fn settle_flat(&mut self, object: Node<'_>, mismatches: &mut Mismatches) -> bool {
        if self.begin_flat().is_some() {
            self.end(object, mismatches);
        }
        self.is_complete()
    }

    /// Returns the growing value, which begins with the surrounding object; `None` once it is complete.
    fn begin_flat(&mut self) -> Option<&mut T::Growing> {
        if self.is_missing() {
            *self = Self::Growing(T::Growing::default());
        }
        match self {
            Self::Growing(growing) => Some(growing),
            Self::Missing | Self::Complete(_) => None,
        }
    }
}
