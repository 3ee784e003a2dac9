//! The check of a value against a schema.

mod array;
mod object;
mod unevaluated;

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::HashMap;

use regex::Regex;
use serde_json::{Map, Value};

use super::super::Scope;
use super::compile::limit;
use super::number::{compare, is_equal, is_integer, is_multiple};
use crate::violation::{Violation, alternatives, article, options_of, short, show};
use crate::work::{MAX_VISITS, escape, target};

/// Maximum number of schemas that are applied inside each other. More would exhaust the stack.
const MAX_DEPTH: usize = 512;

/// Maximum number of schemas that one check applies. A check can apply a schema to a value more than once, which the
/// count before the check does not see: for the description of a union, and for unevaluated members and items.
const MAX_APPLIED: usize = 4 * MAX_VISITS;

/// The state of one check: the schema document and its compiled patterns.
pub(super) struct Check<'a> {
    pub(super) root: &'a Value,
    pub(super) patterns: &'a HashMap<String, Regex>,
    pub(super) is_reference_alone: bool,
    pub(super) scope: Scope,
    /// The number of applied schemas.
    pub(super) applied: &'a Cell<usize>,
}

/// The limits of a check: the depth of the current schema, the number of violations after which the check
/// ends, and the use of descriptions.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) depth: usize,
    pub(super) most: usize,
    pub(super) words: Words,
}

/// The use of descriptions of violations. A description can cost more than the check itself, so it is
/// optional.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    Full,
    /// Report only the paths of violations, without descriptions.
    None,
}

impl Words {
    fn render(self, words: impl FnOnce() -> String) -> String {
        match self {
            Self::Full => words(),
            Self::None => String::new(),
        }
    }
}

impl Limits {
    /// Returns the limits of a check that only decides whether a value fits.
    fn silent(self) -> Self {
        Self { most: 1, words: Words::None, ..self }
    }
}

/// A value with its schema and its path.
struct At<'a, 'p> {
    keywords: &'a Map<String, Value>,
    value: &'a Value,
    path: &'p mut String,
    limits: Limits,
}

impl At<'_, '_> {
    /// Returns the violation of a keyword that requires another value.
    fn violation(&self, wanted: impl FnOnce() -> String) -> Violation {
        let words = self.limits.words;
        Violation::new(self.path.clone(), words.render(|| show(self.value)), words.render(wanted))
    }

    fn has_enough(&self, found: &[Violation]) -> bool {
        found.len() >= self.limits.most
    }
}

impl<'a> Check<'a> {
    /// Returns true if the check was given up, so that its result has no meaning.
    pub(super) fn is_too_expensive(&self) -> bool {
        self.applied.get() > MAX_APPLIED
    }

    /// Appends the violations of a value. Returns early at the maximum number of violations.
    pub(super) fn apply(
        &self,
        schema: &'a Value,
        value: &'a Value,
        path: &mut String,
        limits: Limits,
        found: &mut Vec<Violation>,
    ) {
        if found.len() >= limits.most {
            return;
        }
        self.applied.set(self.applied.get().saturating_add(1));
        if limits.depth >= MAX_DEPTH || self.is_too_expensive() {
            found.push(Violation::too_expensive());
            return;
        }
        let Some(keywords) = schema.as_object() else {
            if schema == &Value::Bool(false) {
                let wanted = || "no value here".to_owned();
                let words = limits.words;
                found.push(Violation::new(path.clone(), words.render(|| show(value)), words.render(wanted)));
            }
            return;
        };
        let limits = Limits { depth: limits.depth.saturating_add(1), ..limits };
        let mut at = At { keywords, value, path, limits };
        let reference = keywords.get("$ref").filter(|_| self.is_reference_alone);
        let alone = reference.map(|value| ("$ref", value));
        let all = keywords.iter().map(|(keyword, wanted)| (keyword.as_str(), wanted));
        for (keyword, wanted) in all.filter(|_| alone.is_none()).chain(alone) {
            if at.has_enough(found) {
                return;
            }
            self.keyword(keyword, wanted, &mut at, found);
        }
    }

    /// Appends the violations of one keyword.
    fn keyword(&self, keyword: &str, wanted: &'a Value, at: &mut At<'a, '_>, found: &mut Vec<Violation>) {
        let value = at.value;
        if let Some(expected) = self.simple(keyword, wanted, at) {
            found.push(at.violation(|| expected));
            return;
        }
        match (keyword, wanted) {
            ("$ref", Value::String(name)) => {
                let Some(schema) = target(self.root, name) else { return };
                self.apply(schema, value, at.path, at.limits, found);
            }
            ("allOf", Value::Array(branches)) => {
                for branch in branches {
                    self.apply(branch, value, at.path, at.limits, found);
                }
            }
            ("anyOf" | "oneOf", Value::Array(branches)) => self.union(keyword, branches, at, found),
            ("not", schema) if self.fits(schema, value, at) => {
                found.push(at.violation(|| "another value".to_owned()));
            }
            ("if", schema) => {
                let next = if self.fits(schema, value, at) { "then" } else { "else" };
                let Some(schema) = at.keywords.get(next) else { return };
                self.apply(schema, value, at.path, at.limits, found);
            }
            _ => match value {
                Value::Object(members) => self.object(keyword, wanted, members, at, found),
                Value::Array(items) => self.array(keyword, wanted, items, at, found),
                _ => {}
            },
        }
    }

    /// Returns the description of the expected value if the value violates a keyword that concerns the value
    /// itself.
    fn simple(&self, keyword: &str, wanted: &Value, at: &At<'a, '_>) -> Option<String> {
        let value = at.value;
        let count = |count: usize, is_wrong: fn(&u64, &u64) -> bool| {
            limit(wanted).filter(|limit| is_wrong(&(count as u64), limit))
        };
        match (keyword, value) {
            ("type", _) => is_of_no_type(wanted, value),
            ("enum", _) => {
                let is_listed = wanted.as_array()?.iter().any(|option| is_equal(option, value));
                (!is_listed).then(|| at.limits.words.render(|| options_of(wanted, value)))
            }
            ("const", _) => {
                (!is_equal(wanted, value)).then(|| at.limits.words.render(|| short(&wanted.to_string())))
            }
            (_, Value::Number(number)) => {
                let wanted = wanted.as_number()?;
                let order = compare(number, wanted)?;
                match keyword {
                    "minimum" if order == Ordering::Less => Some(format!("at least {wanted}")),
                    "maximum" if order == Ordering::Greater => Some(format!("at most {wanted}")),
                    "exclusiveMinimum" if order != Ordering::Greater => Some(format!("more than {wanted}")),
                    "exclusiveMaximum" if order != Ordering::Less => Some(format!("less than {wanted}")),
                    "multipleOf" if !is_multiple(number, wanted) => Some(format!("a multiple of {wanted}")),
                    _ => None,
                }
            }
            ("minLength", Value::String(text)) => {
                Some(format!("at least {} characters", count(text.chars().count(), u64::lt)?))
            }
            ("maxLength", Value::String(text)) => {
                Some(format!("at most {} characters", count(text.chars().count(), u64::gt)?))
            }
            ("pattern", Value::String(text)) => {
                let pattern = wanted.as_str()?;
                let is_match = self.patterns.get(pattern)?.is_match(text);
                (!is_match).then(|| format!("a text that matches {}", short(pattern)))
            }
            ("minItems", Value::Array(items)) => {
                Some(format!("at least {} items", count(items.len(), u64::lt)?))
            }
            ("maxItems", Value::Array(items)) => {
                Some(format!("at most {} items", count(items.len(), u64::gt)?))
            }
            ("uniqueItems", Value::Array(items)) if wanted == &Value::Bool(true) => {
                array::has_equal_items(items).then(|| "no item twice".to_owned())
            }
            ("minProperties", Value::Object(members)) => {
                Some(format!("at least {} properties", count(members.len(), u64::lt)?))
            }
            ("maxProperties", Value::Object(members)) => {
                Some(format!("at most {} properties", count(members.len(), u64::gt)?))
            }
            _ => None,
        }
    }

    /// Returns whether a value fits a schema.
    fn fits(&self, schema: &'a Value, value: &'a Value, at: &mut At<'a, '_>) -> bool {
        let mut found = Vec::new();
        self.apply(schema, value, at.path, at.limits.silent(), &mut found);
        found.is_empty()
    }

    fn union(&self, keyword: &str, branches: &'a [Value], at: &mut At<'a, '_>, found: &mut Vec<Violation>) {
        let fitting = branches.iter().filter(|branch| self.fits(branch, at.value, at)).count();
        match (keyword, fitting) {
            (_, 0) => {
                let wanted = match at.limits.words {
                    Words::Full => alternatives(self.describe_branches(branches, at)),
                    Words::None => String::new(),
                };
                found.push(at.violation(|| wanted));
            }
            ("oneOf", 2..) => {
                found.push(at.violation(|| "a value that fits one alternative only".to_owned()));
            }
            _ => {}
        }
    }

    /// Describes the value that each branch of a union expects, after every branch has rejected the value.
    fn describe_branches(&self, branches: &'a [Value], at: &mut At<'a, '_>) -> Vec<String> {
        let mut expected: Vec<String> = Vec::new();
        for branch in branches {
            let mut inner = Vec::new();
            self.apply(branch, at.value, at.path, Limits { most: 1, ..at.limits }, &mut inner);
            let Some(first) = inner.into_iter().next() else { continue };
            let place = first.path.strip_prefix(at.path.as_str()).unwrap_or_default();
            let words = if place.is_empty() { first.wanted } else { format!("{} at {place}", first.wanted) };
            if !expected.contains(&words) {
                expected.push(words);
            }
        }
        expected
    }

    /// Checks a member or an item.
    fn check_child(
        &self,
        schema: &'a Value,
        value: &'a Value,
        name: &str,
        at: &mut At<'a, '_>,
        found: &mut Vec<Violation>,
    ) {
        if at.has_enough(found) {
            return;
        }
        let end = at.path.len();
        at.path.push('/');
        at.path.push_str(&escape(name));
        self.apply(schema, value, at.path, at.limits, found);
        at.path.truncate(end);
    }

    fn matches(&self, pattern: &str, name: &str) -> bool {
        self.patterns.get(pattern).is_some_and(|pattern| pattern.is_match(name))
    }
}

/// Returns the expected types if the value has a different type.
fn is_of_no_type(wanted: &Value, value: &Value) -> Option<String> {
    let names: Vec<&str> = match wanted {
        Value::String(name) => vec![name],
        _ => wanted.as_array()?.iter().filter_map(Value::as_str).collect(),
    };
    let is = |name: &str| match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(number) => name == "number" || (name == "integer" && is_integer(number)),
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    };
    let words = || names.iter().map(|name| article(name)).collect::<Vec<_>>().join(" or ");
    (!names.iter().copied().any(is)).then(words)
}
