//! Values that are shown when they are complete, and wrappers that delegate to an inner type.

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, Hash};
use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32,
    NonZeroU64, NonZeroUsize,
};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use windlass_partial_json::{Kind, NestedChange, Node};

use crate::mismatch::Mismatches;
use crate::partial::{FirstByteAction, Never, PartialValue};

macro_rules! whole {
    ($($value:ty),+ $(,)?) => {$(
        impl PartialValue for $value {
            type Growing = Never;

            fn absent() -> Option<Self> {
                None
            }
        }
    )+};
}

whole!(bool, char, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);
whole!(NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroIsize);
whole!(NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroUsize);
whole!((), Value, Map<String, Value>);

impl<T: DeserializeOwned + Ord + std::fmt::Debug + Send + 'static> PartialValue for BTreeSet<T> {
    type Growing = Never;
}

impl<T, S> PartialValue for HashSet<T, S>
where
    T: DeserializeOwned + Eq + Hash + std::fmt::Debug + Send + 'static,
    S: BuildHasher + Default + Send + 'static,
{
    type Growing = Never;
}

impl<T: PartialValue> PartialValue for Option<T> {
    type Growing = T::Growing;

    fn begin(kind: Kind) -> FirstByteAction<T::Growing> {
        if kind == Kind::Null { FirstByteAction::Whole } else { T::begin(kind) }
    }

    #[inline]
    fn grow(growing: &mut T::Growing, step: &NestedChange<'_>, mismatches: &mut Mismatches) {
        T::grow(growing, step, mismatches);
    }

    fn end(growing: T::Growing, value: Node<'_>, mismatches: &mut Mismatches) -> Result<Self, T::Growing> {
        T::end(growing, value, mismatches).map(Some)
    }

    fn whole(value: Node<'_>, mismatches: &mut Mismatches) -> Option<Self> {
        if value.kind() == Kind::Null { Some(None) } else { T::whole(value, mismatches).map(Some) }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// Boxes the growing value, so that a type can contain itself.
impl<T: PartialValue> PartialValue for Box<T> {
    type Growing = Box<T::Growing>;

    fn begin(kind: Kind) -> FirstByteAction<Box<T::Growing>> {
        match T::begin(kind) {
            FirstByteAction::Growing(growing) => FirstByteAction::Growing(Box::new(growing)),
            FirstByteAction::Whole => FirstByteAction::Whole,
            FirstByteAction::Wrong(wanted) => FirstByteAction::Wrong(wanted),
        }
    }

    #[inline]
    fn grow(growing: &mut Box<T::Growing>, step: &NestedChange<'_>, mismatches: &mut Mismatches) {
        T::grow(growing, step, mismatches);
    }

    fn end(
        growing: Box<T::Growing>,
        value: Node<'_>,
        mismatches: &mut Mismatches,
    ) -> Result<Self, Box<T::Growing>> {
        T::end(*growing, value, mismatches).map(Self::new).map_err(Box::new)
    }

    fn whole(value: Node<'_>, mismatches: &mut Mismatches) -> Option<Self> {
        T::whole(value, mismatches).map(Self::new)
    }

    fn absent() -> Option<Self> {
        T::absent().map(Self::new)
    }
}
