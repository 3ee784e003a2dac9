//! Deserialisation of a snapshot, which can be without any value.

use serde_core::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_core::forward_to_deserialize_any;

use crate::deserialize::DeserializeError;
use crate::snapshot::Snapshot;

/// An array or object without content.
struct Nothing;

impl<'de> SeqAccess<'de> for Nothing {
    type Error = DeserializeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        _: T,
    ) -> Result<Option<T::Value>, DeserializeError> {
        Ok(None)
    }
}

impl<'de> MapAccess<'de> for Nothing {
    type Error = DeserializeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, _: K) -> Result<Option<K::Value>, DeserializeError> {
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, _: V) -> Result<V::Value, DeserializeError> {
        Err(DeserializeError::permanent("a value was requested without a key"))
    }
}

/// Marks an error of a text without any value: more text can remove it.
fn mark_empty<T>(result: Result<T, DeserializeError>) -> Result<T, DeserializeError> {
    result.map_err(DeserializeError::mark_incomplete)
}

/// Deserialises like [`Snapshot::deserialize`].
impl<'de> Deserializer<'de> for Snapshot<'de> {
    type Error = DeserializeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.root() {
            Some(root) => root.deserialize_any(visitor),
            None => mark_empty(visitor.visit_unit()),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.root() {
            Some(root) => root.deserialize_option(visitor),
            None => mark_empty(visitor.visit_none()),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.root() {
            Some(root) => root.deserialize_seq(visitor),
            None => mark_empty(visitor.visit_seq(Nothing)),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.root() {
            Some(root) => root.deserialize_map(visitor),
            None => mark_empty(visitor.visit_map(Nothing)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        self.deserialize_map(visitor)
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
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        match self.root() {
            Some(root) => root.deserialize_enum(name, variants, visitor),
            None => mark_empty(visitor.visit_unit()),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct identifier
    }
}
