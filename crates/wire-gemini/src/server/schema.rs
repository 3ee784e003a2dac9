//! Converts schemas of the API's own dialect to JSON Schema.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use windlass_protocol::RawJson;

/// The members of an object in the order of the text.
struct Members<'a>(Vec<(String, &'a RawValue)>);

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

/// The role of a value inside a schema.
#[derive(Clone, Copy)]
enum Place {
    Schema,
    /// An object of schemas by name.
    Properties,
    /// A list of schemas.
    Schemas,
}

/// Converts a schema of the API's own dialect to JSON Schema and keeps the author's order. Type names become
/// lower case, `nullable` becomes a second type, and counts become numbers. `serde_json`'s recursion limit
/// bounds the depth.
pub(crate) fn json_schema(own: &RawValue) -> RawJson {
    let mut text = String::with_capacity(own.get().len());
    let written = write(own.get(), Place::Schema, &mut text);
    let is_written = written.is_some();
    if is_written { text.parse().unwrap_or_default() } else { own.get().parse().unwrap_or_default() }
}

/// Returns true if the schema is already JSON Schema.
pub(crate) fn is_json_schema(own: &RawValue) -> bool {
    let squeezed = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    squeezed(own.get()) == squeezed(json_schema(own).as_str())
}

fn write(json: &str, place: Place, text: &mut String) -> Option<()> {
    match (place, json.as_bytes().first()) {
        (Place::Schemas, Some(b'[')) => {
            let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
            list(text, '[', ']', items, |item, text| write(item.get(), Place::Schema, text))
        }
        (Place::Properties, Some(b'{')) => {
            let Members(members) = serde_json::from_str(json).ok()?;
            list(text, '{', '}', members, |(name, value), text| {
                key(&name, text);
                write(value.get(), Place::Schema, text)
            })
        }
        (Place::Schema, Some(b'{')) => schema(json, text),
        _ => {
            text.push_str(json);
            Some(())
        }
    }
}

fn schema(json: &str, text: &mut String) -> Option<()> {
    let Members(mut members) = serde_json::from_str(json).ok()?;
    let is_nullable = members.iter().any(|(name, value)| name == "nullable" && value.get() == "true");
    let is_unsaid = |value: &RawValue| value.get() == "\"TYPE_UNSPECIFIED\"";
    members.retain(|(name, value)| {
        !(matches!(name.as_str(), "nullable" | "propertyOrdering") || (name == "type" && is_unsaid(value)))
    });
    list(text, '{', '}', members, |(name, value), text| {
        key(&name, text);
        let place = match name.as_str() {
            "type" => {
                kinds(value.get(), is_nullable, text);
                return Some(());
            }
            "properties" | "$defs" | "defs" => Place::Properties,
            "items" | "additionalProperties" => Place::Schema,
            "anyOf" | "prefixItems" => Place::Schemas,
            "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties" | "maxProperties" => {
                text.push_str(value.get().trim_matches('"'));
                return Some(());
            }
            _ => {
                text.push_str(value.get());
                return Some(());
            }
        };
        write(value.get(), place, text)
    })
}

/// Writes the type of a schema. Type names have no escapes. Some clients write the numbers of the API's enum.
fn kinds(json: &str, is_nullable: bool, text: &mut String) {
    let lower = match json {
        "1" => "\"string\"".to_owned(),
        "2" => "\"number\"".to_owned(),
        "3" => "\"integer\"".to_owned(),
        "4" => "\"boolean\"".to_owned(),
        "5" => "\"array\"".to_owned(),
        "6" => "\"object\"".to_owned(),
        "7" => "\"null\"".to_owned(),
        _ => json.to_ascii_lowercase(),
    };
    match lower.as_bytes().first() {
        Some(b'"') if is_nullable => {
            text.push('[');
            text.push_str(&lower);
            text.push_str(",\"null\"]");
        }
        _ => text.push_str(&lower),
    }
}

fn key(name: &str, text: &mut String) {
    text.push_str(&serde_json::Value::from(name).to_string());
    text.push(':');
}

fn list<T>(
    text: &mut String,
    open: char,
    close: char,
    items: Vec<T>,
    mut one: impl FnMut(T, &mut String) -> Option<()>,
) -> Option<()> {
    text.push(open);
    for (position, item) in items.into_iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        one(item, text)?;
    }
    text.push(close);
    Some(())
}
