//! `Node`: a value of a document, with its members in the author's order.

use indexmap::IndexMap;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Number;

/// Maximum number of values of a document.
pub(crate) const MAX_NODES: usize = 1_000_000;
/// Maximum nesting depth of a document. `serde_json` has the same limit for JSON.
pub(crate) const MAX_DEPTH: usize = 127;

/// The members of an object.
pub(crate) type Members = IndexMap<String, Node>;

/// A value of a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Self>),
    /// Boxed, because an `IndexMap` is three times as large as the other values.
    Map(Box<Members>),
}

impl Node {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn map(members: Members) -> Self {
        Self::Map(Box::new(members))
    }

    /// Creates an object with one member.
    pub(crate) fn map_of(key: &str, value: Self) -> Self {
        Self::map(Members::from_iter([(key.to_owned(), value)]))
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.as_map()?.get(key)
    }

    pub(crate) fn as_map(&self) -> Option<&Members> {
        match self {
            Self::Map(members) => Some(members.as_ref()),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the text of a member.
    pub(crate) fn str_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// Returns whether a member is `true`.
    pub(crate) fn is_set(&self, key: &str) -> bool {
        self.get(key) == Some(&Self::Bool(true))
    }

    /// Returns the items of a member that is a list.
    pub(crate) fn items_of(&self, key: &str) -> &[Self] {
        self.get(key).and_then(Self::as_list).unwrap_or_default()
    }

    /// Returns the members of a member that is an object.
    pub(crate) fn members_of(&self, key: &str) -> impl Iterator<Item = (&String, &Self)> {
        self.get(key).and_then(Self::as_map).into_iter().flatten()
    }

    /// Returns the JSON text.
    pub(crate) fn to_json(&self) -> String {
        // A node has only JSON values, whose serialization does not fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(flag) => serializer.serialize_bool(*flag),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Self::Map(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members.as_ref() {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}
