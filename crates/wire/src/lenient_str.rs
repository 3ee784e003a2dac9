//! Strings in a provider's JSON.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};

/// A string that is borrowed from the event if it does not contain escapes. `null` becomes an empty string
/// (RULES S1), and an unsigned integer becomes its decimal digits. Other values are errors.
///
/// ```
/// use windlass_wire::LenientStr;
/// let [lent, none, count]: [LenientStr<'_>; 3] = serde_json::from_str(r#"["a", null, 7]"#)?;
/// assert_eq!([lent.0, none.0, count.0], ["a", "", "7"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "formats take it apart")]
pub struct LenientStr<'a>(pub Cow<'a, str>);

struct LenientStrVisitor;

impl<'de> Visitor<'de> for LenientStrVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or null")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Cow::Owned(number.to_string()))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(""))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for LenientStr<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LenientStrVisitor).map(Self)
    }
}
