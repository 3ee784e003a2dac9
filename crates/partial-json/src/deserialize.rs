//! Deserialisation of a node with serde, without an intermediate value and without a copy of any string.

mod containers;
mod error;
mod snapshot;
mod variant;

use serde_core::de::{Deserialize, Deserializer, Visitor};
use serde_core::forward_to_deserialize_any;

use crate::document::narrow;
use crate::node::{Completeness, Kind, Node};
use crate::snapshot::Snapshot;
use crate::value::{fits, may_overflow, number};

use containers::{KnownElements, KnownMembers};
pub use error::DeserializeError;
use variant::Variant;

impl<'a> Snapshot<'a> {
    /// Deserialises the value as far as it has arrived. Strings are borrowed from the parser, also those that have
    /// escapes.
    ///
    /// A member or an element whose value is pending is left out, an open string has the text so far, and a text
    /// without any value deserialises as an empty struct, map or array, or as `None`. A struct whose fields are
    /// `Option`s or have defaults therefore deserialises from every prefix.
    ///
    /// ```
    /// use serde::Deserialize;
    /// use windlass_partial_json::Parser;
    ///
    /// #[derive(Debug, PartialEq, Deserialize)]
    /// struct Edit<'a> {
    ///     path: Option<&'a str>,
    ///     line: Option<u32>,
    /// }
    ///
    /// let mut parser = Parser::new();
    /// assert_eq!(parser.snapshot().deserialize::<Edit<'_>>()?, Edit { path: None, line: None });
    /// parser.push(r#"{"path": "src/ma"#)?;
    /// assert_eq!(parser.snapshot().deserialize::<Edit<'_>>()?, Edit { path: Some("src/ma"), line: None });
    /// parser.push(r#"in.rs", "line": 12"#)?;
    /// assert_eq!(parser.snapshot().deserialize::<Edit<'_>>()?.line, None);
    /// parser.push("}")?;
    /// assert_eq!(parser.snapshot().deserialize::<Edit<'_>>()?.line, Some(12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The visible values do not fit the type. [`DeserializeError::is_incomplete`] returns whether more text can remove
    /// the error.
    pub fn deserialize<T: Deserialize<'a>>(self) -> Result<T, DeserializeError> {
        T::deserialize(self)
    }
}

impl<'a> Node<'a> {
    /// Deserialises this value as far as it has arrived, like [`Snapshot::deserialize`].
    ///
    /// # Errors
    /// The visible values do not fit the type.
    pub fn deserialize<T: Deserialize<'a>>(self) -> Result<T, DeserializeError> {
        T::deserialize(self)
    }

    fn visit<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        if self.completeness() == Completeness::Pending {
            return visitor.visit_unit();
        }
        match self.kind() {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool => visitor.visit_bool(self.as_bool().unwrap_or_default()),
            Kind::Number => visit_number(self.number_text().unwrap_or_default(), visitor),
            Kind::String => visitor.visit_borrowed_str(self.as_str().unwrap_or_default()),
            Kind::Array => {
                let mut elements = KnownElements::new(self);
                let value = visitor.visit_seq(&mut elements)?;
                if elements.has_more() {
                    return Err(DeserializeError::permanent("more elements than the type has"));
                }
                Ok(value)
            }
            Kind::Object => visitor.visit_map(KnownMembers::new(self)),
        }
    }
}

/// Returns whether a complete number exceeds the range of a 64-bit float, which needs an exponent or many digits.
fn is_out_of_range(text: &str) -> bool {
    let is_suspect = text.contains(['e', 'E']) || may_overflow(narrow(text.len()));
    is_suspect && !fits(text)
}

fn visit_number<'a, V: Visitor<'a>>(text: &str, visitor: V) -> Result<V::Value, DeserializeError> {
    let number = number(text);
    if let Some(number) = number.as_u64() {
        visitor.visit_u64(number)
    } else if let Some(number) = number.as_i64() {
        visitor.visit_i64(number)
    } else if let Some(number) = number.as_f64() {
        visitor.visit_f64(number)
    } else {
        visitor.visit_unit()
    }
}

/// Deserialises the value as far as it has arrived; see [`Snapshot::deserialize`].
///
/// A pending value is null, and `None` for an option; so is a number out of the range of a 64-bit float.
impl<'de> Deserializer<'de> for Node<'de> {
    type Error = DeserializeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        self.visit(visitor).map_err(|error| error.add_path(self))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        let is_null = match self.kind() {
            _ if self.completeness() == Completeness::Pending => true,
            Kind::Null => true,
            Kind::Number => is_out_of_range(self.number_text().unwrap_or_default()),
            _ => false,
        };
        let value = if is_null { visitor.visit_none() } else { visitor.visit_some(self) };
        value.map_err(|error: DeserializeError| error.add_path(self))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_newtype_struct(self).map_err(|error: DeserializeError| error.add_path(self))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        let variant = Variant::read(self);
        variant.and_then(|variant| visitor.visit_enum(variant)).map_err(|error| error.add_path(self))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct identifier
    }
}
