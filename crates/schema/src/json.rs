//! JSON tree that keeps the order of keys and the spelling of numbers, which a map of `serde_json` loses.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Maximum nesting depth of a text. It is below the 128 of `serde_json`, so code that walks the tree may
/// recurse.
pub(crate) const DEPTH: usize = 96;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    /// A number with its original spelling.
    Number(String),
    String(String),
    Array(Vec<Self>),
    Object(Members),
}

/// The members of an object in the author's order, with unique keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Members(Vec<(String, Json)>);

/// Error of a text that is not JSON or nests too deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable;

impl Json {
    /// Parses a whole text.
    pub(crate) fn parse(text: &str) -> Result<Self, Unreadable> {
        read(text.trim_ascii(), DEPTH)
    }

    /// Creates an object with one member.
    pub(crate) fn member(key: &str, value: Self) -> Self {
        Self::Object(Members::from_iter([(key.to_owned(), value)]))
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::String(text.into())
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_object(&self) -> Option<&Members> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Returns the number as a float, for a comparison with a limit.
    pub(crate) fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Returns the value at a JSON Pointer.
    pub(crate) fn pointer(&self, pointer: &str) -> Option<&Self> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |at, token| {
            let token = token.replace("~1", "/").replace("~0", "~");
            match at {
                Self::Object(members) => members.get(&token),
                Self::Array(items) => items.get(token.parse::<usize>().ok()?),
                _ => None,
            }
        })
    }

    /// Appends the value as JSON without white space.
    pub(crate) fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(text) => out.push_str(text),
            Self::String(text) => quote(text, out),
            Self::Array(items) => {
                out.push('[');
                for (position, item) in items.iter().enumerate() {
                    if position > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (position, (key, value)) in members.iter().enumerate() {
                    if position > 0 {
                        out.push(',');
                    }
                    quote(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}

impl Members {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Replaces the value of a key in place, or appends the member.
    pub(crate) fn set(&mut self, key: &str, value: Json) {
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, known)) => *known = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// Inserts a member before all others.
    pub(crate) fn set_first(&mut self, key: &str, value: Json) {
        self.remove(key);
        self.0.insert(0, (key.to_owned(), value));
    }

    /// Appends a member whose key is known to be new.
    pub(crate) fn push(&mut self, key: impl Into<String>, value: Json) {
        self.0.push((key.into(), value));
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.0.retain(|(key, _)| keep(key));
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Json> {
        let at = self.0.iter().position(|(known, _)| known == key)?;
        Some(self.0.remove(at).1)
    }
}

impl FromIterator<(String, Json)> for Members {
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl IntoIterator for Members {
    type Item = (String, Json);
    type IntoIter = std::vec::IntoIter<(String, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

fn quote(text: &str, out: &mut String) {
    // Writing a string as JSON cannot fail.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

// Each level scans the raw text of its children without parsing them, so the work is at most length times
// depth, and numbers keep their text.
fn read(text: &str, depth: usize) -> Result<Json, Unreadable> {
    let depth = depth.checked_sub(1).ok_or(Unreadable)?;
    Ok(match text.as_bytes().first() {
        Some(b'{') => {
            let raw: RawMembers<'_> = serde_json::from_str(text).map_err(|_| Unreadable)?;
            let members = raw.0.into_iter().map(|(key, value)| Ok((key, read(value.get(), depth)?)));
            Json::Object(Members(members.collect::<Result<_, _>>()?))
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text).map_err(|_| Unreadable)?;
            Json::Array(items.into_iter().map(|item| read(item.get(), depth)).collect::<Result<_, _>>()?)
        }
        Some(b'"') => Json::String(serde_json::from_str(text).map_err(|_| Unreadable)?),
        Some(b't' | b'f') => Json::Bool(serde_json::from_str(text).map_err(|_| Unreadable)?),
        Some(b'n') => serde_json::from_str::<()>(text).map(|()| Json::Null).map_err(|_| Unreadable)?,
        _ => {
            serde_json::from_str::<serde_json::Number>(text).map_err(|_| Unreadable)?;
            Json::Number(text.to_owned())
        }
    })
}

/// Number of members up to which a repeated key is found by comparing all of them. Larger objects get an index.
const SEARCHED_MEMBERS: usize = 16;

/// Members with unparsed values. Of two equal keys the last value counts, at the position of the first.
struct RawMembers<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for RawMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = RawMembers<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut members: Vec<(String, &'de RawValue)> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        while let Some((key, value)) = access.next_entry::<String, &'de RawValue>()? {
            if members.len() < SEARCHED_MEMBERS {
                match members.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, known)) => *known = value,
                    None => members.push((key, value)),
                }
                continue;
            }
            if places.is_empty() {
                places = members.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)).collect();
            }
            let place = *places.entry(key.clone()).or_insert(members.len());
            match members.get_mut(place) {
                Some((_, known)) => *known = value,
                None => members.push((key, value)),
            }
        }
        Ok(RawMembers(members))
    }
}
