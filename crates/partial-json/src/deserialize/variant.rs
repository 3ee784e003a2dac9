//! A variant of an enum: a string, or an object with one member.

use serde_core::de::value::BorrowedStrDeserializer;
use serde_core::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, Unexpected, VariantAccess, Visitor,
};

use crate::deserialize::DeserializeError;
use crate::node::{Completeness, Kind, Node};

/// The name of a variant, and its content.
pub(super) struct Variant<'a> {
    name: &'a str,
    content: Option<Node<'a>>,
}

impl<'a> Variant<'a> {
    /// Returns the variant with this name and without content.
    pub(super) fn from_name(name: &'a str) -> Self {
        Self { name, content: None }
    }

    /// Reads the name of the variant in `node`. Fails while the name is open.
    pub(super) fn read(node: Node<'a>) -> Result<Self, DeserializeError> {
        if node.completeness() == Completeness::Pending {
            return Err(DeserializeError::custom("the name of the variant has not arrived"));
        }
        match node.kind() {
            Kind::String if node.is_complete() => Ok(Self::from_name(node.as_str().unwrap_or_default())),
            Kind::String => Err(DeserializeError::custom("the name of the variant is not complete")),
            Kind::Object => {
                let mut members = node.members();
                match (members.next(), members.next()) {
                    (Some((name, content)), None) => Ok(Self { name, content: Some(content) }),
                    (None, _) => {
                        Err(DeserializeError::custom("the object has no member that names a variant"))
                    }
                    (Some(_), Some(_)) => {
                        Err(DeserializeError::permanent("the object of a variant has more than one member"))
                    }
                }
            }
            Kind::Null => Err(mismatch(Unexpected::Unit)),
            Kind::Bool => Err(mismatch(Unexpected::Bool(node.as_bool().unwrap_or_default()))),
            Kind::Number => Err(mismatch(Unexpected::Other("number"))),
            Kind::Array => Err(mismatch(Unexpected::Seq)),
        }
    }
}

fn mismatch(unexpected: Unexpected<'_>) -> DeserializeError {
    DeserializeError::invalid_type(unexpected, &"the name of a variant, or an object with one member")
}

impl<'a> EnumAccess<'a> for Variant<'a> {
    type Error = DeserializeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'a>>(self, seed: V) -> Result<(V::Value, Self), DeserializeError> {
        let name = BorrowedStrDeserializer::<DeserializeError>::new(self.name);
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'a> Variant<'a> {
    fn content(&self) -> Result<Node<'a>, DeserializeError> {
        self.content
            .ok_or_else(|| DeserializeError::permanent("the variant needs an object with its content"))
    }
}

impl<'a> VariantAccess<'a> for Variant<'a> {
    type Error = DeserializeError;

    fn unit_variant(self) -> Result<(), DeserializeError> {
        match self.content {
            None => Ok(()),
            Some(content) => content.deserialize(),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, DeserializeError> {
        seed.deserialize(self.content()?)
    }

    fn tuple_variant<V: Visitor<'a>>(self, length: usize, visitor: V) -> Result<V::Value, DeserializeError> {
        self.content()?.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        self.content()?.deserialize_struct("", fields, visitor)
    }
}
