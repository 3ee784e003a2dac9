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
}

/// The body after the changes; a body that is no object, or that nothing changes, stays as it is.
pub(crate) fn apply(body: Vec<u8>, edits: &[Edit]) -> Vec<u8> {
    let mut body = body;
    for edit in edits {
        let path: Vec<&str> = edit.path.split('.').collect();
        let changed = std::str::from_utf8(&body).ok().and_then(|text| changed(text, &path, &edit.change));
        if let Some(changed) = changed {
            body = changed.into_bytes();
        }
    }
    body
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

/// The object with the change, or none if nothing changes.
fn changed(text: &str, path: &[&str], change: &Change) -> Option<String> {
    let (first, rest) = path.split_first()?;
    let mut fields = serde_json::from_str::<Fields<'_>>(text).ok()?;
    let at = fields.0.iter().position(|(name, _)| name == first);
    let Some(at) = at else {
        let (Change::Default(value), true) = (change, rest.is_empty()) else { return None };
        // The last field stays the last: it is the conversation, and grows.
        let end = fields.0.len().saturating_sub(1);
        fields.0.insert(end, ((*first).to_owned(), Cow::Borrowed(value)));
        return Some(fields.to_string());
    };
    if !rest.is_empty() {
        let value = changed(&fields.0.get(at)?.1, rest, change)?;
        fields.0.get_mut(at)?.1 = Cow::Owned(value);
        return Some(fields.to_string());
    }
    match change {
        Change::Drop => drop(fields.0.remove(at)),
        Change::Rename(name) if fields.0.iter().any(|(held, _)| held == name) => drop(fields.0.remove(at)),
        Change::Rename(name) => fields.0.get_mut(at)?.0.clone_from(name),
        Change::Exchange { from, to } if fields.0.get(at)?.1 == from.as_str() => {
            fields.0.get_mut(at)?.1 = Cow::Borrowed(to);
        }
        Change::ObjectTo(to) if fields.0.get(at)?.1.starts_with('{') => {
            fields.0.get_mut(at)?.1 = Cow::Borrowed(to);
        }
        Change::DropItem(item) => {
            let mut items: Vec<String> = serde_json::from_str(&fields.0.get(at)?.1).ok()?;
            items.retain(|held| held != item);
            if items.is_empty() {
                fields.0.remove(at);
            } else {
                fields.0.get_mut(at)?.1 = Cow::Owned(serde_json::to_string(&items).ok()?);
            }
        }
        Change::Exchange { .. } | Change::ObjectTo(_) | Change::Default(_) => return None,
    }
    Some(fields.to_string())
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
