//! Limit on the cost of a check: the visits of a validator are counted before it starts.
//!
//! A validator visits a value once for each schema that is applied to it. If two branches of a schema refer
//! to the schema itself, each level of the arguments doubles the visits, so a schema of a hundred bytes and
//! arguments of a hundred bytes can take years. The count follows every branch, because a validator may.

use serde_json::{Map, Value};

/// Maximum number of visits in one check.
pub(crate) const MAX_VISITS: usize = 1_000_000;
/// Keywords that name a schema.
const NAMING: [&str; 4] = ["$anchor", "$dynamicAnchor", "$id", "id"];

/// Index of the named schemas of a document: their names and JSON Pointers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(Vec<(String, String)>);

impl Names {
    pub(crate) fn collect(document: &Value) -> Self {
        let mut names = Vec::new();
        let mut open = vec![(document, String::new())];
        while let Some((value, pointer)) = open.pop() {
            match value {
                Value::Object(members) => {
                    let own = NAMING.iter().filter_map(|keyword| members.get(*keyword)?.as_str());
                    names.extend(own.map(|name| (name.trim_end_matches('#').to_owned(), pointer.clone())));
                    for (key, value) in members.iter().filter(|(_, value)| is_deep(value)) {
                        open.push((value, format!("{pointer}/{}", escape(key))));
                    }
                }
                Value::Array(items) => {
                    for (at, value) in items.iter().enumerate().filter(|(_, value)| is_deep(value)) {
                        open.push((value, format!("{pointer}/{at}")));
                    }
                }
                _ => {}
            }
        }
        Self(names)
    }

    /// Returns the schemas that a reference may lead to.
    fn targets<'s>(&self, document: &'s Value, reference: &str) -> Vec<&'s Value> {
        let (name, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let roots: Vec<&Value> = match name {
            "" => vec![document],
            name => self.find_named(document, |known| {
                known == name || known.ends_with(name) || name.ends_with(known)
            }),
        };
        match fragment {
            "" => roots,
            pointer if pointer.starts_with('/') => {
                let pointer = decode_percent(pointer);
                roots.into_iter().filter_map(|root| root.pointer(&pointer)).collect()
            }
            anchor => self.find_named(document, |known| known == anchor),
        }
    }

    fn find_named<'s>(&self, document: &'s Value, is_meant: impl Fn(&str) -> bool) -> Vec<&'s Value> {
        let meant = self.0.iter().filter(|(name, _)| is_meant(name));
        meant.filter_map(|(_, pointer)| document.pointer(pointer)).collect()
    }
}

/// State of one count.
struct Visits<'a> {
    document: &'a Value,
    names: &'a Names,
    open: Vec<(&'a Value, &'a Value)>,
    left: usize,
}

/// Returns whether a check of a value against a schema may take more than [`MAX_VISITS`] visits.
pub(crate) fn is_too_much(document: &Value, names: &Names, value: &Value) -> bool {
    let mut visits = Visits { document, names, open: vec![(document, value)], left: MAX_VISITS };
    while let Some((schema, value)) = visits.open.pop() {
        let Value::Object(keywords) = schema else { continue };
        let counted = keywords.iter().try_for_each(|(keyword, inner)| {
            visits.charge(1)?;
            visits.apply(keywords, keyword, inner, value)
        });
        if counted.is_none() {
            return true;
        }
    }
    false
}

impl<'a> Visits<'a> {
    fn charge(&mut self, count: usize) -> Option<()> {
        self.left = self.left.checked_sub(count)?;
        Some(())
    }

    /// Adds the visits of one keyword. Returns `None` if the limit is exceeded.
    fn apply(
        &mut self,
        keywords: &'a Map<String, Value>,
        keyword: &str,
        inner: &'a Value,
        value: &'a Value,
    ) -> Option<()> {
        match (keyword, inner) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                let targets = self.names.targets(self.document, reference);
                self.visit_all(targets.into_iter().map(|target| (target, value)))
            }
            ("not" | "if" | "then" | "else", _) => self.visit_all([(inner, value)]),
            ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                self.visit_all(branches.iter().map(|branch| (branch, value)))
            }
            ("dependentSchemas" | "dependencies", Value::Object(schemas)) => {
                self.visit_all(schemas.values().map(|schema| (schema, value)))
            }
            ("enum" | "required", Value::Array(values)) => self.charge(values.len()),
            _ => match value {
                Value::Object(members) => self.apply_to_members(keywords, keyword, inner, members),
                Value::Array(items) => self.apply_to_items(keywords, keyword, inner, items),
                _ => Some(()),
            },
        }
    }

    fn apply_to_members(
        &mut self,
        keywords: &'a Map<String, Value>,
        keyword: &str,
        inner: &'a Value,
        members: &'a Map<String, Value>,
    ) -> Option<()> {
        match (keyword, inner) {
            ("properties", Value::Object(properties)) => {
                self.charge(properties.len())?;
                self.visit_all(
                    properties.iter().filter_map(|(name, schema)| Some((schema, members.get(name)?))),
                )
            }
            ("patternProperties", Value::Object(patterns)) => patterns
                .values()
                .try_for_each(|schema| self.visit_all(members.values().map(|member| (schema, member)))),
            ("additionalProperties" | "unevaluatedProperties", _) => {
                let known = keywords.get("properties").and_then(Value::as_object);
                let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
                let more = members.iter().filter(|(name, _)| !is_known(name));
                self.visit_all(more.map(|(_, member)| (inner, member)))
            }
            ("propertyNames", _) => self.visit_all(members.values().map(|_| (inner, &Value::Null))),
            _ => Some(()),
        }
    }

    fn apply_to_items(
        &mut self,
        keywords: &'a Map<String, Value>,
        keyword: &str,
        inner: &'a Value,
        items: &'a [Value],
    ) -> Option<()> {
        let first = keywords.get("prefixItems").or_else(|| keywords.get("items")).and_then(Value::as_array);
        let behind = items.iter().skip(first.map_or(0, Vec::len));
        match (keyword, inner) {
            ("prefixItems" | "items", Value::Array(schemas)) => self.visit_all(schemas.iter().zip(items)),
            ("items" | "additionalItems", _) => self.visit_all(behind.map(|item| (inner, item))),
            ("contains", _) => self.visit_all(items.iter().map(|item| (inner, item))),
            ("unevaluatedItems", _) if !keywords.get("items").is_some_and(Value::is_object) => {
                self.visit_all(behind.map(|item| (inner, item)))
            }
            _ => Some(()),
        }
    }

    fn visit_all(&mut self, visits: impl IntoIterator<Item = (&'a Value, &'a Value)>) -> Option<()> {
        visits.into_iter().try_for_each(|visit| {
            self.charge(1)?;
            self.open.push(visit);
            Some(())
        })
    }
}

/// Returns the schema that a reference leads to, if it is a JSON Pointer into the same document.
#[cfg(any(test, not(feature = "jsonschema")))]
pub(crate) fn target<'s>(document: &'s Value, reference: &str) -> Option<&'s Value> {
    let fragment = reference.strip_prefix('#').or_else(|| {
        let own = document.get("$id")?.as_str()?.trim_end_matches('#');
        reference.strip_prefix(own)?.strip_prefix('#')
    })?;
    document.pointer(&decode_percent(fragment))
}

fn is_deep(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

/// Escapes a key for a JSON Pointer.
pub(crate) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Decodes the percent escapes of a pointer in a URI fragment.
fn decode_percent(pointer: &str) -> String {
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            bytes.push(byte);
            rest = after.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
