//! A value of a known type while it arrives: not there, growing, or whole.

mod elements;
mod entries;
mod place;
mod text;
mod values;
mod whole;

use std::convert::Infallible;
use std::fmt;

use serde::de::DeserializeOwned;
use windlass_partial_json::{Kind, Node, Step};

use crate::mismatch::{Mismatches, kind_words};

pub use elements::Elements;
pub use entries::Entries;
pub use place::{Part, Place};
pub use whole::Whole;

use whole::{absent, read};

/// A value while it arrives. It is for showing, never for running (RULES J1).
///
/// It only ever goes from missing to growing to complete, and what is shown is never taken back (J3). A
/// repeated key is the one exception: its last value wins.
///
/// ```
/// use windlass_tool::Partial;
///
/// let content: Partial<String> = Partial::Growing("fn main".into());
/// assert_eq!(content.as_str(), "fn main");
/// assert_eq!(content.complete(), None);
/// ```
#[derive(Default)]
#[expect(clippy::exhaustive_enums, reason = "every consumer must tell these three apart")]
pub enum Partial<T: PartialValue> {
    /// Nothing is known, or what came is of another type.
    #[default]
    Missing,
    /// What is known is true, and more may come.
    Growing(T::Growing),
    /// Whole; it will not change.
    Complete(T),
}

/// What the first byte of a value, which fixes its type, means for a type.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "shown at once, shown when whole, or never")]
pub enum Begin<G> {
    /// It is shown from now on.
    Growing(G),
    /// It is shown when it is whole.
    Whole,
    /// It is of another type than this one, which wants this.
    Wrong(&'static str),
}

/// A type that can be shown while its value arrives.
///
/// Text, lists, maps and types with `#[derive(ToolArgs)]` grow; numbers and booleans are shown when they are
/// whole. A type of one's own that has no derive is shown when it is whole too: implement this with
/// `type Growing = Infallible` and nothing else, or mark the field that has it `#[tool_args(whole)]`.
///
/// ```
/// use std::convert::Infallible;
/// use serde::Deserialize;
/// use windlass_tool::PartialValue;
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
    note = "mark the field `#[tool_args(whole)]`: its value is then shown when it is whole"
)]
pub trait PartialValue: DeserializeOwned + fmt::Debug + Send + 'static {
    /// What is shown while the value is not whole; [`Infallible`] if nothing is.
    type Growing: fmt::Debug + Send + 'static;

    /// What a value that begins like this means.
    fn begin(kind: Kind) -> Begin<Self::Growing> {
        let _ = kind;
        Begin::Whole
    }

    /// Something happened inside the value. Costs what the step costs.
    fn grow(growing: &mut Self::Growing, step: &Step<'_>, mismatches: &mut Mismatches) {
        let _ = (growing, step, mismatches);
    }

    /// The value has ended.
    ///
    /// # Errors
    /// What was shown, if it does not make a whole value.
    fn end(
        growing: Self::Growing,
        value: Node<'_>,
        mismatches: &mut Mismatches,
    ) -> Result<Self, Self::Growing> {
        let _ = (value, mismatches);
        Err(growing)
    }

    /// A value that was not shown while it grew is whole.
    fn whole(value: Node<'_>, mismatches: &mut Mismatches) -> Option<Self> {
        read(value).map_err(|unfit| mismatches.unfit(value, unfit)).ok()
    }

    /// The value that stands for one that never came, if there is one.
    fn absent() -> Option<Self> {
        absent()
    }
}

impl<T: PartialValue> Partial<T> {
    /// The value, if it is whole.
    pub fn complete(&self) -> Option<&T> {
        match self {
            Self::Complete(value) => Some(value),
            Self::Missing | Self::Growing(_) => None,
        }
    }

    /// What is known of a value that is not whole.
    pub fn growing(&self) -> Option<&T::Growing> {
        match self {
            Self::Growing(growing) => Some(growing),
            Self::Missing | Self::Complete(_) => None,
        }
    }

    /// Whether the value is whole.
    pub fn is_complete(&self) -> bool {
        matches!(self, Self::Complete(_))
    }

    /// Whether nothing of the value is known.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// Takes a step inside this value.
    #[doc(hidden)]
    #[inline]
    pub fn inside(&mut self, step: &Step<'_>, mismatches: &mut Mismatches) {
        if let Self::Growing(growing) = self {
            T::grow(growing, step, mismatches);
        }
    }

    /// Takes a step of this value itself, and says whether the value still fits its type.
    #[doc(hidden)]
    pub fn turn(&mut self, part: Part<'_>, mismatches: &mut Mismatches) -> bool {
        match part {
            Part::Inside => true,
            Part::Begin(value) => {
                *self = match T::begin(value.kind()) {
                    Begin::Growing(growing) => Self::Growing(growing),
                    Begin::Whole => Self::Missing,
                    Begin::Wrong(wanted) => {
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
            // What was of a wrong type when it began has been told.
            Self::Missing | Self::Complete(_) => match T::begin(value.kind()) {
                Begin::Whole => T::whole(value, mismatches).map_or(Self::Missing, Self::Complete),
                Begin::Growing(_) | Begin::Wrong(_) => Self::Missing,
            },
        };
        self.is_complete()
    }

    fn whole(&mut self, value: Node<'_>, mismatches: &mut Mismatches) -> bool {
        *self = match T::begin(value.kind()) {
            Begin::Wrong(wanted) => {
                mismatches.add(value, wanted, kind_words(value.kind()));
                Self::Missing
            }
            Begin::Whole | Begin::Growing(_) => {
                T::whole(value, mismatches).map_or(Self::Missing, Self::Complete)
            }
        };
        self.is_complete()
    }

    /// The object that has this member has ended: a member that never came has its default, or is told as
    /// missing.
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

/// What is never shown while it grows.
pub(crate) type Never = Infallible;
