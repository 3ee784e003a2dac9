//! Types for fields that compatible servers send in more than one form (RULES P3, S1, S6).

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A text. Strings other than `""` and numbers are read; everything else counts as absent (S1).
#[derive(Debug, Default)]
pub(crate) struct OptionalStr<'a>(pub(crate) Option<Cow<'a, str>>);

/// A text, or an object whose JSON is taken as the text (S6).
#[derive(Debug, Default)]
pub(crate) struct ArgumentText<'a>(pub(crate) Option<Cow<'a, str>>);

/// A count. Everything but a number counts as 0.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Count(pub(crate) u64);

/// A number that may be absent or written as a string.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Index(pub(crate) Option<u64>);

/// Content as one string or as a list of parts. Mistral's reasoning models send lists.
#[derive(Debug, Default)]
pub(crate) enum Content<'a> {
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Parts(Vec<ContentPart<'a>>),
}

/// One part of a content list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ContentPart<'a> {
    #[serde(borrow)]
    pub(crate) text: OptionalStr<'a>,
    #[serde(borrow)]
    pub(crate) refusal: OptionalStr<'a>,
    #[serde(borrow)]
    pub(crate) thinking: Thinking<'a>,
}

/// Reasoning as one string or as a list of texts.
#[derive(Debug, Default)]
pub(crate) struct Thinking<'a>(pub(crate) Vec<Cow<'a, str>>);

#[derive(Default, Deserialize)]
#[serde(default)]
struct ThinkingPart<'a> {
    #[serde(borrow)]
    text: OptionalStr<'a>,
}

/// Any JSON value, reduced to the forms that the lenient fields read.
enum Loose<'a> {
    Nothing,
    Text(Cow<'a, str>),
    Number(u64),
    Object(String),
}

struct LooseVisitor {
    /// True if an object's JSON is needed.
    objects: bool,
}

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Owned(text)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Loose::Number(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(u64::try_from(number).map_or(Loose::Nothing, Loose::Number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        // A server may write a count as a float, for example `12.0`. NaN and negative numbers become 0.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
        Ok(Loose::Number(number as u64))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Loose::Nothing)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Loose::Nothing)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Loose::Nothing)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        if !self.objects {
            while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Loose::Nothing);
        }
        // Copy the members as raw JSON, so that numbers and key order stay as the model wrote them.
        let mut text = String::from("{");
        while let Some((key, value)) = members.next_entry::<Cow<'_, str>, &RawValue>()? {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&serde_json::Value::from(key).to_string());
            text.push(':');
            text.push_str(value.get());
        }
        text.push('}');
        Ok(Loose::Object(text))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for OptionalStr<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match deserializer.deserialize_any(LooseVisitor { objects: false })? {
            Loose::Text(text) if !text.is_empty() => Some(text),
            Loose::Number(number) => Some(Cow::Owned(number.to_string())),
            Loose::Text(_) | Loose::Nothing | Loose::Object(_) => None,
        }))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for ArgumentText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match deserializer.deserialize_any(LooseVisitor { objects: true })? {
            Loose::Text(text) if !text.is_empty() => Some(text),
            Loose::Object(text) => Some(Cow::Owned(text)),
            Loose::Text(_) | Loose::Nothing | Loose::Number(_) => None,
        }))
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match deserializer.deserialize_any(LooseVisitor { objects: false })? {
            Loose::Number(number) => number,
            Loose::Text(_) | Loose::Nothing | Loose::Object(_) => 0,
        }))
    }
}

impl<'de> Deserialize<'de> for Index {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match deserializer.deserialize_any(LooseVisitor { objects: false })? {
            Loose::Number(number) => Some(number),
            Loose::Text(text) => text.parse().ok(),
            Loose::Nothing | Loose::Object(_) => None,
        }))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of parts")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(if text.is_empty() { Content::Absent } else { Content::Text(Cow::Borrowed(text)) })
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(if text.is_empty() { Content::Absent } else { Content::Text(Cow::Owned(text.to_owned())) })
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Content::Absent)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = items.next_element()? {
            parts.push(part);
        }
        Ok(Content::Parts(parts))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Thinking<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ThinkingVisitor).map(Self)
    }
}

struct ThinkingVisitor;

impl<'de> Visitor<'de> for ThinkingVisitor {
    type Value = Vec<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of texts")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(vec![Cow::Borrowed(text)])
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(vec![Cow::Owned(text.to_owned())])
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut texts = Vec::new();
        while let Some(part) = items.next_element::<ThinkingPart<'_>>()? {
            texts.extend(part.text.0);
        }
        Ok(texts)
    }
}
