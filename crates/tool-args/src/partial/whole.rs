//! Deserialization of a complete value in place, without an intermediate copy.

mod access;

use std::fmt;
use std::ops::Deref;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, Deserializer, Error, Expected, Unexpected, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use windlass_partial_json::{Kind, Node};

use self::access::{Elements, Members};
use crate::mismatch::Unfit;
use crate::partial::{Never, PartialValue};

/// A value of any deserializable type that is shown when it is complete. The derive uses it for a field with
/// `#[tool_args(whole)]`.
///
/// ```
/// use windlass_tool_args::{Partial, Whole};
///
/// let seconds: Partial<Whole<std::time::Duration>> = Partial::Missing;
/// assert!(seconds.complete().is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
#[expect(clippy::exhaustive_structs, reason = "a value with a name for how it is shown")]
pub struct Whole<T>(pub T);

impl<T> Deref for Whole<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: DeserializeOwned + fmt::Debug + Send + 'static> PartialValue for Whole<T> {
    type Growing = Never;
}

/// Deserializes a complete value with the same result as a strict parse of its text.
pub(crate) fn read<T: DeserializeOwned>(value: Node<'_>) -> Result<T, Unfit> {
    T::deserialize(Value(value))
}

/// Returns the value that serde gives a missing member: `None` for an `Option`, otherwise no value.
pub(crate) fn absent<T: DeserializeOwned>() -> Option<T> {
    T::deserialize(Absent).ok()
}

/// The maximum number of characters of a value that a mismatch quotes.
const TOLD: usize = 60;

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: found {}, expected {}", self.path, self.met, self.wanted)
    }
}

impl std::error::Error for Unfit {}

impl Unfit {
    fn new(wanted: impl Into<String>, met: impl Into<String>) -> Self {
        Self { path: String::new(), wanted: wanted.into(), met: met.into() }
    }

    /// Prefixes the path with the token of the surrounding member or element.
    fn prefix_path(mut self, token: &str) -> Self {
        self.path = format!("/{}{}", token.replace('~', "~0").replace('/', "~1"), self.path);
        self
    }
}

impl Error for Unfit {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string(), "another value")
    }

    fn invalid_type(met: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::new(wanted.to_string(), clip(&met.to_string()))
    }

    fn invalid_value(met: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::invalid_type(met, wanted)
    }

    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> Self {
        Self::new(format!("one of {}", known.join(", ")), clip(&format!("`{variant}`")))
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        Self::new(format!("one of {}", known.join(", ")), clip(&format!("`{field}`")))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("the required `{field}`"), format!("no `{field}`"))
    }
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(TOLD) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A serde deserializer over a complete value.
struct Value<'a>(Node<'a>);

impl Value<'_> {
    /// Visits the number with the type that `serde_json` would choose.
    fn number<'de, V: Visitor<'de>>(&self, visitor: V) -> Result<V::Value, Unfit> {
        let text = self.0.number_text().unwrap_or_default();
        if let Ok(number) = text.parse() {
            return visitor.visit_u64(number);
        }
        // `-0` is visited as a float, because integers have no negative zero.
        if let (Ok(number), true) = (text.parse(), text != "-0") {
            return visitor.visit_i64(number);
        }
        // Use the parser that reads complete arguments, so that floats have identical bits.
        match serde_json::from_str(text) {
            Ok(number) => visitor.visit_f64(number),
            Err(_) => Err(Unfit::new("a number in range", clip(text))),
        }
    }

    fn wide<T: std::str::FromStr>(&self) -> Option<T> {
        self.0.number_text()?.parse().ok()
    }
}

impl<'de> Deserializer<'de> for Value<'_> {
    type Error = Unfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        match self.0.kind() {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool => visitor.visit_bool(self.0.as_bool().unwrap_or_default()),
            Kind::Number => self.number(visitor),
            Kind::String => visitor.visit_str(self.0.as_str().unwrap_or_default()),
            Kind::Array => {
                let mut elements = Elements::new(self.0);
                let value = visitor.visit_seq(&mut elements)?;
                elements.end().map(|()| value)
            }
            Kind::Object => visitor.visit_map(Members::new(self.0)),
        }
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        match self.wide() {
            Some(number) => visitor.visit_i128(number),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        match self.wide() {
            Some(number) => visitor.visit_u128(number),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        if self.0.kind() == Kind::Null { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        match self.0.as_str() {
            Some(variant) => StrDeserializer::<Unfit>::new(variant).deserialize_enum(name, variants, visitor),
            // A variant with data is an object with one member; the deserializer of `serde_json::Value`
            // supports that form.
            None => self
                .0
                .to_value()
                .unwrap_or_default()
                .deserialize_enum(name, variants, visitor)
                .map_err(Unfit::custom),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// A serde deserializer for a member that never arrived.
struct Absent;

impl<'de> Deserializer<'de> for Absent {
    type Error = de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(Self::Error::custom("nothing came"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_none()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
