//! The known elements of an array, and the known members of an object, for serde.

use serde_core::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_core::forward_to_deserialize_any;

use crate::deserialize::DeserializeError;
use crate::deserialize::variant::Variant;
use crate::node::{Completeness, Elements, Members, Node};

/// The elements of an array that are not pending.
pub(super) struct KnownElements<'a> {
    elements: Elements<'a>,
}

impl<'a> KnownElements<'a> {
    pub(super) fn new(array: Node<'a>) -> Self {
        Self { elements: array.elements() }
    }

    /// Returns whether an element is left.
    pub(super) fn has_more(mut self) -> bool {
        self.next().is_some()
    }

    fn next(&mut self) -> Option<Node<'a>> {
        self.elements.find(|element| element.completeness() != Completeness::Pending)
    }
}

impl<'a> SeqAccess<'a> for &mut KnownElements<'a> {
    type Error = DeserializeError;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DeserializeError> {
        self.next().map(|element| seed.deserialize(element)).transpose()
    }
}

/// The members of an object that are not pending.
pub(super) struct KnownMembers<'a> {
    members: Members<'a>,
    /// The value whose key has been read.
    value: Option<Node<'a>>,
}

impl<'a> KnownMembers<'a> {
    pub(super) fn new(object: Node<'a>) -> Self {
        Self { members: object.members(), value: None }
    }
}

impl<'a> MapAccess<'a> for KnownMembers<'a> {
    type Error = DeserializeError;

    fn next_key_seed<K: DeserializeSeed<'a>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DeserializeError> {
        let known = self.members.find(|(_, value)| value.completeness() != Completeness::Pending);
        let Some((key, value)) = known else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(Key(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, DeserializeError> {
        match self.value.take() {
            Some(value) => seed.deserialize(value),
            None => Err(DeserializeError::permanent("a value was requested before its key")),
        }
    }
}

/// A key of an object. Maps whose keys are numbers or booleans read them from its text.
struct Key<'a>(&'a str);

macro_rules! parse_key {
    ($($method:ident => $visit:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
            match self.0.parse() {
                Ok(parsed) => visitor.$visit(parsed),
                Err(_) => visitor.visit_borrowed_str(self.0),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = DeserializeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_enum(Variant::from_name(self.0))
    }

    parse_key! {
        deserialize_bool => visit_bool
        deserialize_i8 => visit_i8
        deserialize_i16 => visit_i16
        deserialize_i32 => visit_i32
        deserialize_i64 => visit_i64
        deserialize_i128 => visit_i128
        deserialize_u8 => visit_u8
        deserialize_u16 => visit_u16
        deserialize_u32 => visit_u32
        deserialize_u64 => visit_u64
        deserialize_u128 => visit_u128
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}
