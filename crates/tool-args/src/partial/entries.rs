//! Maps: complete entries do not move, and only the last entry grows.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::BuildHasher;

use windlass_partial_json::{Kind, NestedChange, Node};

use crate::mismatch::Mismatches;
use crate::partial::{FirstByteAction, Part, Partial, PartialValue, Place};

/// The entries of a map that have arrived, in the order of the text. Only the last entry can be growing.
pub struct Entries<T: PartialValue> {
    entries: Vec<(String, Partial<T>)>,
    place: Place,
}

impl<T: PartialValue> Entries<T> {
    /// Iterates over keys and values in the order of the text.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Partial<T>)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Returns the last value of a key. The search is linear.
    pub fn get(&self, key: &str) -> Option<&Partial<T>> {
        self.iter().rev().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Returns the number of entries that have begun.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns `true` if no entry has begun.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn begin(kind: Kind) -> FirstByteAction<Self> {
        if kind == Kind::Object {
            FirstByteAction::Growing(Self { entries: Vec::new(), place: Place::default() })
        } else {
            FirstByteAction::Wrong("an object")
        }
    }

    fn grow(&mut self, step: &NestedChange<'_>, mismatches: &mut Mismatches) {
        let entries = &mut self.entries;
        let begin = |key: &str| {
            entries.push((key.to_owned(), Partial::Missing));
            Some(0)
        };
        let Some((_, part)) = self.place.part(step, begin) else { return };
        match (self.entries.last_mut(), part) {
            (Some((_, value)), Part::Inside) => value.apply_inside(step, mismatches),
            (Some((_, value)), part) => self.place.note(value.turn(part, mismatches)),
            (None, _) => {}
        }
    }

    /// Collects the complete values into a map. In the usual maps, the last value of a repeated key wins.
    fn end<M: FromIterator<(String, T)>>(self) -> Result<M, Self> {
        if !self.place.fits() {
            return Err(self);
        }
        let whole = |(key, value)| match value {
            Partial::Complete(value) => Some((key, value)),
            Partial::Missing | Partial::Growing(_) => None,
        };
        Ok(self.entries.into_iter().filter_map(whole).collect())
    }
}

impl<T: PartialValue> fmt::Debug for Entries<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

macro_rules! map {
    ($map:ty $(, $hasher:ident)?) => {
        impl<T: PartialValue $(, $hasher: BuildHasher + Default + Send + 'static)?> PartialValue for $map {
            type Growing = Entries<T>;

            fn begin(kind: Kind) -> FirstByteAction<Entries<T>> {
                Entries::begin(kind)
            }

            fn grow(growing: &mut Entries<T>, step: &NestedChange<'_>, mismatches: &mut Mismatches) {
                growing.grow(step, mismatches);
            }

            fn end(growing: Entries<T>, _: Node<'_>, _: &mut Mismatches) -> Result<Self, Entries<T>> {
                growing.end()
            }

            fn absent() -> Option<Self> {
                None
            }
        }
    };
}

map!(BTreeMap<String, T>);
map!(HashMap<String, T, S>, S);
