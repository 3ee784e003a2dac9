//! A value of a known type while it streams: missing, growing or complete.

mod elements;
mod entries;
mod flat;
mod place;
mod text;
mod values;
mod whole;

use std::convert::Infallible;
use std::fmt;

use serde::de::DeserializeOwned;
use windlass_partial_json::{Kind, NestedChange, Node};

use crate::mismatch::{Mismatches, kind_words};

pub use elements::Elements;
pub use entries::Entries;
pub use place::{Part, Place};
pub use whole::Whole;

use whole::{absent, read};

/// A value while it streams. It is for display and never for execution (RULES J1).
///
/// The state only moves from missing to growing to complete, and displayed content is never withdrawn (J3).
/// The one exception is a repeated key: its last value wins.
///
/// ```
/// use windlass_tool_args::Partial;
///
/// let content: Partial<String> = Partial::Growing("fn main".into());
/// assert_eq!(content.as_str(), "fn main");
/// assert_eq!(content.complete(), None);
/// ```
#[derive(Default)]
#[expect(clippy::exhaustive_enums, reason = "every consumer must distinguish the three")]
pub enum Partial<T: PartialValue> {
    /// No value has arrived, or the value has another type.
    #[default]
    Missing,
    /// The value received up to now; more may follow.
    Growing(T::Growing),
    /// The complete value, which will not change.
    Complete(T),
}

/// The reaction of a type to the first byte of a value, which determines the JSON kind of the value.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "shown at once, shown when whole, or never")]
pub enum FirstByteAction<G> {
    /// The value is shown from now on.
    Growing(G),
    /// The value is shown when it is complete.
    Whole,
    /// The kind does not fit the type; the text names the expected kind.
    Wrong(&'static str),
}

/// A type that can be shown while its value streams.
///
/// Strings, lists, maps and types with `#[derive(ToolArgs)]` grow; numbers and booleans are shown when they
/// are complete. A type of your own without the derive is also shown when it is complete: implement this
/// trait with `type Growing = Infallible` and no methods, or mark its field with `#[tool_args(whole)]`.
///
/// ```
/// use std::convert::Infallible;
/// use serde::Deserialize;
/// use windlass_tool_args::PartialValue;
///
/// #[derive(Debug, Deserialize)]
/// enum Colour { Red, Green }
///
/// impl PartialValue for Colour {
///     type Growing = Infallible;
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shown while it arrives",
    label = "has no `#[derive(ToolArgs)]` and no `PartialValue`",
    note = "put `#[derive(ToolArgs)]` on a struct or enum of your own",
    note = "mark the field `#[tool_args(whole)]`: its value is then shown when it is whole"
)]
pub trait PartialValue: DeserializeOwned + fmt::Debug + Send + 'static {
    /// The type that is shown while the value is incomplete; [`Infallible`] for a type that is only shown
    /// when complete.
    type Growing: fmt::Debug + Send + 'static;

    /// Returns how a value of this JSON kind is shown while it arrives. Called at the first byte of the value. By
    /// default a value is shown when it is complete.
    fn begin(kind: Kind) -> FirstByteAction<Self::Growing> {
        let _ = kind;
        FirstByteAction::Whole
    }

    /// Applies a step inside the value. The cost is linear in the size of the step.
    fn grow(growing: &mut Self::Growing, step: &NestedChange<'_>, mismatches: &mut Mismatches) {
        let _ = (growing, step, mismatches);
    }

    /// Completes a growing value when its end has been parsed.
    ///
    /// # Errors
    /// Returns the growing value if it does not make a complete value.
    fn end(
        growing: Self::Growing,
        value: Node<'_>,
        mismatches: &mut Mismatches,
    ) -> Result<Self, Self::Growing> {
        let _ = (value, mismatches);
        Err(growing)
    }

    /// Deserializes a complete value that was not shown while it grew.
    fn whole(value: Node<'_>, mismatches: &mut Mismatches) -> Option<Self> {
        read(value).map_err(|unfit| mismatches.unfit(value, unfit)).ok()
    }

    /// Returns the value of a member that never arrived, if the type has one, such as `None` for an `Option`.
    fn absent() -> Option<Self> {
        absent()
    }
}

impl<T: PartialValue> Partial<T> {
    /// Returns the value if it is complete.
    pub fn complete(&self) -> Option<&T> {
        match self {
            Self::Complete(value) => Some(value),
            Self::Missing | Self::Growing(_) => None,
        }
    }

    /// Returns the partial value if it is growing.
    pub fn growing(&self) -> Option<&T::Growing> {
        match self {
            Self::Growing(growing) => Some(growing),
            Self::Missing | Self::Complete(_) => None,
        }
    }

    /// Returns whether the value is complete.
    pub fn is_complete(&self) -> bool {
        matches!(self, Self::Complete(_))
    }

    /// Returns whether no value has arrived.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// Applies a step inside this value.
    #[doc(hidden)]
    #[inline]
    pub fn apply_inside(&mut self, step: &NestedChange<'_>, mismatches: &mut Mismatches) {
        if let Self::Growing(growing) = self {
            T::grow(growing, step, mismatches);
        }
    }

    /// Applies a step of this value itself. Returns `false` if the value has ended and does not fit its type.
    #[doc(hidden)]
    pub fn turn(&mut self, part: Part<'_>, mismatches: &mut Mismatches) -> bool {
        match part {
            Part::Inside => true,
            Part::Begin(value) => {
                *self = match T::begin(value.kind()) {
                    FirstByteAction::Growing(growing) => Self::Growing(growing),
                    FirstByteAction::Whole => Self::Missing,
                    FirstByteAction::Wrong(wanted) => {
                        mismatches.add(value, wanted, kind_words(value.kind()));
                        Self::Missing
                    }
                };
                true
            }
            Part::End(value) => self.end(value, mismatches),
            Part::Whole(value) => self.whole(value, mismatches),
        }
    }

    fn end(&mut self, value: Node<'_>, mismatches: &mut Mismatches) -> bool {
        *self = match std::mem::take(self) {
            Self::Growing(growing) => match T::end(growing, value, mismatches) {
                Ok(value) => Self::Complete(value),
                Err(growing) => Self::Growing(growing),
            },
            // A value that began with a wrong kind has its mismatch already.
            Self::Missing | Self::Complete(_) => match T::begin(value.kind()) {
                FirstByteAction::Whole => T::whole(value, mismatches).map_or(Self::Missing, Self::Complete),
                FirstByteAction::Growing(_) | FirstByteAction::Wrong(_) => Self::Missing,
            },
        };
        self.is_complete()
    }

    fn whole(&mut self, value: Node<'_>, mismatches: &mut Mismatches) -> bool {
        *self = match T::begin(value.kind()) {
            FirstByteAction::Wrong(wanted) => {
                mismatches.add(value, wanted, kind_words(value.kind()));
                Self::Missing
            }
            FirstByteAction::Whole | FirstByteAction::Growing(_) => {
                T::whole(value, mismatches).map_or(Self::Missing, Self::Complete)
            }
        };
        self.is_complete()
    }

    /// Gives a member that never arrived its default once the surrounding object has ended, or records a
    /// mismatch if it has none. Returns whether the value is complete.
    #[doc(hidden)]
    pub fn settle(
        &mut self,
        default: impl FnOnce() -> Option<T>,
        object: Node<'_>,
        name: &'static str,
        mismatches: &mut Mismatches,
    ) -> bool {
        if self.is_missing() {
            match default().or_else(T::absent) {
                Some(value) => *self = Self::Complete(value),
                None => mismatches.lacking(object, name),
            }
        }
        self.is_complete()
    }
}

impl<T: PartialValue> fmt::Debug for Partial<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("Missing"),
            Self::Growing(growing) => f.debug_tuple("Growing").field(growing).finish(),
            Self::Complete(value) => f.debug_tuple("Complete").field(value).finish(),
        }
    }
}

/// The growing state of a type that is only shown when complete.
pub(crate) type Never = Infallible;
