//! Small edits of an encoded body. All other bytes stay unchanged (RULES N6).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// An edit of one field of a body. The path names the field: `stop`, `generationConfig.temperature`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) path: String,
    pub(crate) change: Change,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Removes the field.
    Drop,
    /// Renames the field, or removes it if a field with the new name exists.
    Rename(String),
    /// Replaces the value `from` with `to`; both are JSON.
    Exchange { from: String, to: String },
    /// Replaces the value with this JSON if the value is an object.
    ObjectTo(String),
    /// Inserts the field with this JSON value if it is missing.
    Default(String),
    /// Removes this string from the field's list, and the field if the list becomes empty.
    DropItem(String),
}

impl Edit {
    pub(crate) fn new(path: impl Into<String>, change: Change) -> Self {
        Self { path: path.into(), change }
    }

    /// Returns true if the edit concerns this top-level field.
    pub(crate) fn is_in(&self, field: &str) -> bool {
        self.path.split('.').next() == Some(field)
    }
}

/// Applies all edits with one parse and one serialization. Returns the body unchanged if it is not a JSON
/// object or no edit applies. Inserts the paths of the fields that [`Change::Drop`] removed into `dropped`.
pub(crate) fn apply(body: Vec<u8>, edits: &[Edit], dropped: &mut BTreeSet<String>) -> Vec<u8> {
    if edits.is_empty() {
        return body;
    }
    let changed = std::str::from_utf8(&body).ok().and_then(|text| apply_edits(text, edits, dropped));
    changed.map_or(body, String::into_bytes)
}

/// Returns true if the body has a field at this path.
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

/// Returns the object after the edits, or `None` if no edit applies.
fn apply_edits(text: &str, edits: &[Edit], dropped: &mut BTreeSet<String>) -> Option<String> {
    let mut fields: Fields<'_> = serde_json::from_str(text).ok()?;
    let mut is_changed = false;
    for Edit { path, change } in edits {
        if fields.change(path, change).is_some() {
            is_changed = true;
            dropped.extend((*change == Change::Drop).then(|| path.clone()));
        }
    }
    is_changed.then(|| fields.to_string())
}

impl<'a> Fields<'a> {
    /// Applies one change. Returns `None` if it does not apply.
    fn change(&mut self, path: &str, change: &'a Change) -> Option<()> {
        let (name, rest) = path.split_once('.').unwrap_or((path, ""));
        let Some(at) = self.0.iter().position(|(held, _)| held == name) else {
            let (Change::Default(value), true) = (change, rest.is_empty()) else { return None };
            // Keeps the last field last: it is the conversation, which the next request extends.
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
            New::apply(value, change)?
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

/// New state of an edited value.
enum New<'a> {
    Value(Cow<'a, str>),
    Gone,
}

impl<'a> New<'a> {
    /// Returns `None` if the value stays unchanged.
    fn apply(value: &str, change: &'a Change) -> Option<Self> {
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

/// Fields of an object in their order, each value as raw JSON.
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
