//! Lists: complete elements do not move, and only the last element grows.

use std::fmt;
use std::ops::Deref;

use windlass_partial_json::{Kind, NestedChange, Node};

use crate::mismatch::Mismatches;
use crate::partial::{FirstByteAction, Part, Partial, PartialValue, Place};

/// The elements of a list that have arrived. Only the last element can be growing.
///
/// An element that does not fit its type stays in its position as `Missing`.
pub struct Elements<T: PartialValue> {
    elements: Vec<Partial<T>>,
    place: Place,
}

impl<T: PartialValue> Deref for Elements<T> {
    type Target = [Partial<T>];

    fn deref(&self) -> &[Partial<T>] {
        &self.elements
    }
}

impl<T: PartialValue> fmt::Debug for Elements<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.elements).finish()
    }
}

impl<T: PartialValue> PartialValue for Vec<T> {
    type Growing = Elements<T>;

    fn begin(kind: Kind) -> FirstByteAction<Elements<T>> {
        if kind == Kind::Array {
            FirstByteAction::Growing(Elements { elements: Vec::new(), place: Place::default() })
        } else {
            FirstByteAction::Wrong("an array")
        }
    }

    #[inline]
    fn grow(growing: &mut Elements<T>, step: &NestedChange<'_>, mismatches: &mut Mismatches) {
        let Some((_, part)) = growing.place.part(step, |_| Some(0)) else { return };
        if matches!(part, Part::Begin(_) | Part::Whole(_)) {
            growing.elements.push(Partial::Missing);
        }
        match (growing.elements.last_mut(), part) {
            (Some(element), Part::Inside) => element.apply_inside(step, mismatches),
            (Some(element), part) => growing.place.note(element.turn(part, mismatches)),
            (None, _) => {}
        }
    }

    fn end(growing: Elements<T>, _: Node<'_>, _: &mut Mismatches) -> Result<Self, Elements<T>> {
        if !growing.place.fits() {
            return Err(growing);
        }
        let whole = |element| match element {
            Partial::Complete(value) => Some(value),
            Partial::Missing | Partial::Growing(_) => None,
        };
        Ok(growing.elements.into_iter().filter_map(whole).collect())
    }

    fn absent() -> Option<Self> {
        None
    }
}
