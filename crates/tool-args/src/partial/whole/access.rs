//! serde access to the elements and members of a complete value. Errors get the path of the element or
//! member.

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess};
use windlass_partial_json::{self as json, Node};

use super::{Unfit, Value};

/// Access to the elements of an array.
pub(super) struct Elements<'a> {
    rest: json::Elements<'a>,
    length: usize,
    index: usize,
}

impl<'a> Elements<'a> {
    pub(super) fn new(array: Node<'a>) -> Self {
        Self { rest: array.elements(), length: array.len(), index: 0 }
    }

    /// Returns an error if elements are left over: a tuple of two does not accept three elements.
    pub(super) fn end(self) -> Result<(), Unfit> {
        if self.index == self.length {
            return Ok(());
        }
        Err(Unfit::invalid_length(self.length, &"fewer elements in the array"))
    }
}

impl<'de> SeqAccess<'de> for &mut Elements<'_> {
    type Error = Unfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Unfit> {
        let Some(element) = self.rest.next() else { return Ok(None) };
        let index = self.index;
        self.index = index.saturating_add(1);
        seed.deserialize(Value(element)).map(Some).map_err(|unfit| unfit.prefix_path(&index.to_string()))
    }

    fn size_hint(&self) -> Option<usize> {
        // Cap the capacity that a visitor allocates in advance.
        Some(self.length.saturating_sub(self.index).min(4096))
    }
}

/// Access to the members of an object.
pub(super) struct Members<'a> {
    rest: json::Members<'a>,
    member: Option<(&'a str, Node<'a>)>,
}

impl<'a> Members<'a> {
    pub(super) fn new(object: Node<'a>) -> Self {
        Self { rest: object.members(), member: None }
    }
}

impl<'de> MapAccess<'de> for Members<'_> {
    type Error = Unfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Unfit> {
        self.member = self.rest.next();
        let Some((key, _)) = self.member else { return Ok(None) };
        seed.deserialize(StrDeserializer::<Unfit>::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Unfit> {
        let Some((key, value)) = self.member.take() else {
            return Err(Unfit::custom("a value before its key"));
        };
        seed.deserialize(Value(value)).map_err(|unfit| unfit.prefix_path(key))
    }
}
