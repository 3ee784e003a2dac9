//! Small changes of a body that is encoded already: its other bytes stay as they are (RULES N6).

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A change of one field of a body. The field is named by its path: `stop`, `generationConfig.temperature`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) path: String,
    pub(crate) change: Change,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The field goes.
    Drop,
    /// The field gets another name; where there is one of that name already, it goes.
    Rename(String),
    /// The field gets this value where it has that one, both as JSON.
    Exchange { from: String, to: String },
    /// The field gets this value, as JSON, if it is an object.
    ObjectTo(String),
    /// The field gets this value, as JSON, if there is none of its name.
    Default(String),
    /// This text goes from the field's list; a list that is empty then goes too.
    DropItem(String),
}

impl Edit {
    pub(crate) fn new(path: impl Into<String>, change: Change) -> Self {
        Self { path: path.into(), change }
    }

    /// Whether it changes something in one of these fields of the body.
    pub(crate) fn is_in(&self, fields: &[&str]) -> bool {
        self.path.split('.').next().is_some_and(|first| fields.contains(&first))
    }
}

/// The body after the changes; a body that is no object, or that nothing changes, stays as it is. It is read once and
/// written once, however many changes there are.
pub(crate) fn apply(body: Vec<u8>, edits: &[Edit]) -> Vec<u8> {
    if edits.is_empty() {
        return body;
    }
    let changed = std::str::from_utf8(&body).ok().and_then(|text| changed(text, edits));
    changed.map_or(body, String::into_bytes)
}

/// Whether the body has the field of this path.
pub(crate) fn has(body: &[u8], path: &str) -> bool {
    fn find(text: &str, path: &[&str]) -> bool {
        let (Some((first, rest)), Ok(fields)) =
            (path.split_first(), serde_json::from_str::<Fields<'_>>(text))
        else {
            return false;
        };
        fields.0.iter().any(|(name, value)| name == first && (rest.is_empty() || find(value, rest)))
    }
    let path: Vec<&str> = path.split('.').collect();
    std::str::from_utf8(body).is_ok_and(|text| find(text, &path))
}

/// The object after the changes, or none if nothing changes.
fn changed(text: &str, edits: &[Edit]) -> Option<String> {
    let mut fields: Fields<'_> = serde_json::from_str(text).ok()?;
    let mut is_changed = false;
    for edit in edits {
        is_changed |= fields.change(&edit.path, &edit.change).is_some();
    }
    is_changed.then(|| fields.to_string())
}

impl<'a> Fields<'a> {
    /// Makes one change; none if there is nothing to change.
    fn change(&mut self, path: &str, change: &'a Change) -> Option<()> {
        let (name, rest) = path.split_once('.').unwrap_or((path, ""));
        let Some(at) = self.0.iter().position(|(held, _)| held == name) else {
            let (Change::Default(value), true) = (change, rest.is_empty()) else { return None };
            // The last field stays the last: it is the conversation, and grows.
            let end = self.0.len().saturating_sub(1);
            self.0.insert(end, (name.to_owned(), Cow::Borrowed(value)));
            return Some(());
        };
        if let (Change::Rename(to), true) = (change, rest.is_empty()) {
            if self.0.iter().any(|(held, _)| held == to) {
                self.0.remove(at);
            } else {
                self.0.get_mut(at)?.0.clone_from(to);
            }
            return Some(());
        }
        let value = &mut self.0.get_mut(at)?.1;
        let new = if rest.is_empty() {
            New::of(value, change)?
        } else {
            let mut inner: Fields<'_> = serde_json::from_str(value).ok()?;
            inner.change(rest, change)?;
            New::Value(Cow::Owned(inner.to_string()))
        };
        match new {
            New::Value(new) => *value = new,
            New::Gone => drop(self.0.remove(at)),
        }
        Some(())
    }
}

/// What a value becomes.
enum New<'a> {
    Value(Cow<'a, str>),
    Gone,
}

impl<'a> New<'a> {
    /// None if the value stays.
    fn of(value: &str, change: &'a Change) -> Option<Self> {
        match change {
            Change::Drop => Some(Self::Gone),
            Change::Exchange { from, to } if value == from => Some(Self::Value(Cow::Borrowed(to))),
            Change::ObjectTo(to) if value.starts_with('{') => Some(Self::Value(Cow::Borrowed(to))),
            Change::DropItem(item) => {
                let mut items: Vec<String> = serde_json::from_str(value).ok()?;
                items.retain(|held| held != item);
                if items.is_empty() {
                    return Some(Self::Gone);
                }
                Some(Self::Value(Cow::Owned(serde_json::to_string(&items).ok()?)))
            }
            Change::Exchange { .. } | Change::ObjectTo(_) | Change::Default(_) | Change::Rename(_) => None,
        }
    }
}

/// The fields of an object in their order, each value as its bytes.
struct Fields<'a>(Vec<(String, Cow<'a, str>)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Vec<(String, Cow<'de, str>)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
                    fields.push((name, Cow::Borrowed(value.get())));
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Reader).map(Fields)
    }
}

impl fmt::Display for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, (name, value)) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let name = serde_json::to_string(name).map_err(|_| fmt::Error)?;
            write!(f, "{comma}{name}:{value}")?;
        }
        f.write_str("}")
    }
}

#[cfg(test)]
mod tests;
