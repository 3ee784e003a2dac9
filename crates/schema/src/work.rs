//! Limit on the cost of a check: the visits of a validator are counted before it starts.
//!
//! A validator visits a value once for each schema that is applied to it. If two branches of a schema refer
//! to the schema itself, each level of the arguments doubles the visits, so a schema of a hundred bytes and
//! arguments of a hundred bytes can take years. The count follows every branch, because a validator may.
//!
//! A visit costs more than one unit where a validator does more than compare a kind: it searches a text with a pattern,
//! compares long constants, and copies the path of the value and the keyword's value into each error.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Map, Value};

/// Maximum number of visits in one check.
pub(crate) const MAX_VISITS: usize = 1_000_000;
/// Bytes of a text, a path or a constant that cost one unit.
const BYTES_PER_UNIT: usize = 64;
/// Bytes of a text that is searched with a pattern that cost one unit.
const SEARCHED_BYTES_PER_UNIT: usize = 16;
/// Bytes that an index adds to a path.
const INDEX_BYTES: usize = 8;
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

/// A value that a schema is applied to, with the length of its path.
#[derive(Clone, Copy)]
struct Subject<'a> {
    content: Content<'a>,
    path_bytes: usize,
}

#[derive(Clone, Copy)]
enum Content<'a> {
    Value(&'a Value),
    /// The name of a member, for `propertyNames`.
    Name(&'a str),
}

impl<'a> Subject<'a> {
    fn member(self, name: &str, value: &'a Value) -> Self {
        let path_bytes = self.path_bytes.saturating_add(name.len()).saturating_add(1);
        Self { content: Content::Value(value), path_bytes }
    }

    fn item(self, value: &'a Value) -> Self {
        Self { content: Content::Value(value), path_bytes: self.path_bytes.saturating_add(INDEX_BYTES) }
    }

    fn text(self) -> Option<&'a str> {
        match self.content {
            Content::Value(value) => value.as_str(),
            Content::Name(name) => Some(name),
        }
    }
}

/// State of one count.
struct Visits<'a> {
    document: &'a Value,
    names: &'a Names,
    /// The targets of the references so far. A reference is applied to every value at its place, and it always
    /// has the same targets.
    targets: HashMap<&'a str, Rc<[&'a Value]>>,
    open: Vec<(&'a Value, Subject<'a>)>,
    left: usize,
}

/// Returns the cost of a check of a value against a schema, or `None` if it may be more than [`MAX_VISITS`].
pub(crate) fn visits(document: &Value, names: &Names, value: &Value) -> Option<usize> {
    let subject = Subject { content: Content::Value(value), path_bytes: 0 };
    let targets = HashMap::new();
    let mut visits = Visits { document, names, targets, open: vec![(document, subject)], left: MAX_VISITS };
    while let Some((schema, subject)) = visits.open.pop() {
        let Value::Object(keywords) = schema else { continue };
        for (keyword, inner) in keywords {
            visits.charge(1)?;
            visits.apply(keywords, keyword, inner, subject)?;
        }
    }
    Some(MAX_VISITS.saturating_sub(visits.left))
}

impl<'a> Visits<'a> {
    fn charge(&mut self, count: usize) -> Option<()> {
        self.left = self.left.checked_sub(count)?;
        Some(())
    }

    /// Returns the schemas that a reference may lead to.
    fn find_targets(&mut self, reference: &'a str) -> Rc<[&'a Value]> {
        let (names, document) = (self.names, self.document);
        let targets = self.targets.entry(reference);
        targets.or_insert_with(|| names.targets(document, reference).into()).clone()
    }

    /// Adds the visits of one keyword. Returns `None` if the limit is exceeded.
    fn apply(
        &mut self,
        keywords: &'a Map<String, Value>,
        keyword: &str,
        inner: &'a Value,
        subject: Subject<'a>,
    ) -> Option<()> {
        match (keyword, inner) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                let targets = self.find_targets(reference);
                self.visit_all(targets.iter().map(|target| (*target, subject)))
            }
            ("not" | "if" | "then" | "else", _) => self.visit_all([(inner, subject)]),
            ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                self.visit_all(branches.iter().map(|branch| (branch, subject)))
            }
            ("dependentSchemas" | "dependencies", Value::Object(schemas)) => {
                self.visit_all(schemas.values().map(|schema| (schema, subject)))
            }
            ("enum" | "required" | "const", _) => self.charge_constant(inner),
            ("pattern" | "format", _) => {
                self.charge_constant(inner)?;
                self.charge(subject.text().map_or(0, |text| text.len() / SEARCHED_BYTES_PER_UNIT))
            }
            _ => match subject.content {
                Content::Value(Value::Object(members)) => {
                    self.apply_to_members(keywords, (keyword, inner), members, subject)
                }
                Content::Value(Value::Array(items)) => {
                    self.apply_to_items(keywords, (keyword, inner), items, subject)
                }
                _ => Some(()),
            },
        }
    }

    fn apply_to_members(
        &mut self,
        keywords: &'a Map<String, Value>,
        rule: (&str, &'a Value),
        members: &'a Map<String, Value>,
        at: Subject<'a>,
    ) -> Option<()> {
        match rule {
            ("properties", Value::Object(properties)) => {
                self.charge(properties.len())?;
                self.visit_all(properties.iter().filter_map(|(name, schema)| {
                    members.get(name).map(|member| (schema, at.member(name, member)))
                }))
            }
            ("patternProperties", Value::Object(patterns)) => {
                let searched: usize = members.keys().map(String::len).sum();
                patterns.values().try_for_each(|schema| {
                    self.charge(searched / SEARCHED_BYTES_PER_UNIT)?;
                    self.visit_all(members.iter().map(|(name, member)| (schema, at.member(name, member))))
                })
            }
            ("additionalProperties" | "unevaluatedProperties", inner) => {
                let known = keywords.get("properties").and_then(Value::as_object);
                let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
                let more = members.iter().filter(|(name, _)| !is_known(name));
                self.visit_all(more.map(|(name, member)| (inner, at.member(name, member))))
            }
            ("propertyNames", inner) => self.visit_all(members.keys().map(|name| {
                let path_bytes = at.path_bytes.saturating_add(name.len());
                (inner, Subject { content: Content::Name(name), path_bytes })
            })),
            _ => Some(()),
        }
    }

    fn apply_to_items(
        &mut self,
        keywords: &'a Map<String, Value>,
        rule: (&str, &'a Value),
        items: &'a [Value],
        at: Subject<'a>,
    ) -> Option<()> {
        let first = keywords.get("prefixItems").or_else(|| keywords.get("items")).and_then(Value::as_array);
        let behind = items.iter().skip(first.map_or(0, Vec::len));
        match rule {
            ("prefixItems" | "items", Value::Array(schemas)) => {
                self.visit_all(schemas.iter().zip(items).map(|(schema, item)| (schema, at.item(item))))
            }
            ("items" | "additionalItems", inner) => self.visit_all(behind.map(|item| (inner, at.item(item)))),
            ("contains", inner) => self.visit_all(items.iter().map(|item| (inner, at.item(item)))),
            ("unevaluatedItems", inner) if !keywords.get("items").is_some_and(Value::is_object) => {
                self.visit_all(behind.map(|item| (inner, at.item(item))))
            }
            _ => Some(()),
        }
    }

    /// Charges for a keyword's value, which an error copies: a unit for each value in it and for its texts.
    fn charge_constant(&mut self, constant: &Value) -> Option<()> {
        self.charge(1)?;
        match constant {
            Value::String(text) => self.charge(text.len() / BYTES_PER_UNIT),
            Value::Array(items) => items.iter().try_for_each(|item| self.charge_constant(item)),
            Value::Object(members) => members.iter().try_for_each(|(name, member)| {
                self.charge(name.len() / BYTES_PER_UNIT)?;
                self.charge_constant(member)
            }),
            _ => Some(()),
        }
    }

    fn visit_all(&mut self, visits: impl IntoIterator<Item = (&'a Value, Subject<'a>)>) -> Option<()> {
        visits.into_iter().try_for_each(|visit| {
            self.charge((visit.1.path_bytes / BYTES_PER_UNIT).saturating_add(1))?;
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
