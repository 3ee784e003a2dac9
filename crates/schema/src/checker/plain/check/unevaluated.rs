//! `unevaluatedProperties` and `unevaluatedItems`: a schema for the members and items that no other keyword evaluates,
//! in the schema itself or in a schema that it applies to the same value.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{At, Check, Limits, Words};
use crate::violation::{Violation, list_names, properties};
use crate::work::target;

/// The levels of depth that a collection takes, because its functions have several frames on the stack.
const DEPTH: usize = 2;

/// The members and items of one value that keywords evaluate.
#[derive(Default)]
struct Evaluation<'a> {
    /// True if a keyword evaluates all members or items.
    all: bool,
    names: HashSet<&'a str>,
    positions: HashSet<usize>,
}

impl<'a> Check<'a> {
    /// Appends a violation if members that no other keyword evaluates do not fit the schema.
    pub(super) fn check_unevaluated_properties(
        &self,
        schema: &'a Value,
        members: &'a Map<String, Value>,
        at: &mut At<'a, '_>,
        found: &mut Vec<Violation>,
    ) {
        let evaluation = self.collect_evaluated(at, "unevaluatedProperties");
        let is_open = |name: &str| !evaluation.all && !evaluation.names.contains(name);
        let mut names = Vec::new();
        for (name, member) in members.iter().filter(|(name, _)| is_open(name)) {
            if !self.fits(schema, member, at) {
                names.push(name.clone());
            }
        }
        if !names.is_empty() {
            let known = at.keywords.get("properties").and_then(Value::as_object);
            let words = at.limits.words;
            let met = words.render(|| format!("the unknown {}", list_names(&names)));
            let wanted = words.render(|| properties(known, Some(members), &names));
            found.push(Violation::new(at.path.clone(), met, wanted));
        }
    }

    /// Appends a violation if items that no other keyword evaluates do not fit the schema.
    pub(super) fn check_unevaluated_items(
        &self,
        schema: &'a Value,
        items: &'a [Value],
        at: &mut At<'a, '_>,
        found: &mut Vec<Violation>,
    ) {
        let evaluation = self.collect_evaluated(at, "unevaluatedItems");
        let is_open = |position: &usize| !evaluation.all && !evaluation.positions.contains(position);
        let mut open = items.iter().enumerate().filter(|(position, _)| is_open(position));
        if let Some((position, _)) = open.find(|(_, item)| !self.fits(schema, item, at)) {
            found.push(at.violation(|| format!("no further item from position {position} on")));
        }
    }

    /// Collects the members and items that the keywords of a schema evaluate, except one keyword.
    fn collect_evaluated(&self, at: &mut At<'a, '_>, except: &str) -> Evaluation<'a> {
        let mut evaluation = Evaluation::default();
        let mut limits = at.limits.silent();
        limits.depth = limits.depth.saturating_add(DEPTH);
        let mut inner = At { keywords: at.keywords, value: at.value, path: at.path, limits };
        self.collect(&mut inner, except, &mut evaluation);
        evaluation
    }

    fn collect(&self, at: &mut At<'a, '_>, except: &str, evaluation: &mut Evaluation<'a>) {
        for (keyword, inner) in at.keywords.iter().filter(|(keyword, _)| *keyword != except) {
            if evaluation.all {
                return;
            }
            match at.value {
                Value::Object(members) => self.collect_members(keyword, inner, members, evaluation),
                Value::Array(items) => self.collect_items(keyword, inner, items, at, evaluation),
                _ => {}
            }
            self.collect_branches(keyword, inner, at, evaluation);
        }
    }

    /// Adds the members that a keyword of the schema itself (`properties` ...) evaluates.
    fn collect_members(
        &self,
        keyword: &str,
        inner: &'a Value,
        members: &'a Map<String, Value>,
        evaluation: &mut Evaluation<'a>,
    ) {
        match (keyword, inner) {
            ("additionalProperties" | "unevaluatedProperties", _) => evaluation.all = true,
            ("properties", Value::Object(schemas)) => {
                evaluation.names.extend(schemas.keys().map(String::as_str));
            }
            ("patternProperties", Value::Object(schemas)) => {
                let is_matched = |name: &str| schemas.keys().any(|pattern| self.matches(pattern, name));
                evaluation.names.extend(members.keys().map(String::as_str).filter(|name| is_matched(name)));
            }
            _ => {}
        }
    }

    /// Adds the items that a keyword of the schema itself (`items`, `contains` ...) evaluates.
    fn collect_items(
        &self,
        keyword: &str,
        inner: &'a Value,
        items: &'a [Value],
        at: &mut At<'a, '_>,
        evaluation: &mut Evaluation<'a>,
    ) {
        match (keyword, inner) {
            ("prefixItems" | "items", Value::Array(schemas)) => evaluation.positions.extend(0..schemas.len()),
            ("items" | "unevaluatedItems", _) => evaluation.all = true,
            ("additionalItems", _) if at.keywords.get("items").is_some_and(Value::is_array) => {
                evaluation.all = true;
            }
            ("contains", schema) => {
                let fitting = items.iter().enumerate().filter(|(_, item)| self.fits(schema, item, at));
                evaluation.positions.extend(fitting.map(|(position, _)| position));
            }
            _ => {}
        }
    }

    /// Adds the members and items that the subschemas of a keyword (`allOf`, `$ref`, `if` ...) evaluate, for each
    /// subschema that accepts the value.
    fn collect_branches(
        &self,
        keyword: &str,
        inner: &'a Value,
        at: &mut At<'a, '_>,
        evaluation: &mut Evaluation<'a>,
    ) {
        match (keyword, inner) {
            ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                for branch in branches {
                    self.collect_branch(branch, at, evaluation);
                }
            }
            ("$ref", Value::String(name)) => {
                let Some(schema) = target(self.root, name) else { return };
                self.collect_branch(schema, at, evaluation);
            }
            ("if", schema) => {
                let fits = self.collect_branch(schema, at, evaluation);
                if let Some(schema) = at.keywords.get(if fits { "then" } else { "else" }) {
                    self.collect_branch(schema, at, evaluation);
                }
            }
            ("dependentSchemas", Value::Object(dependents)) => {
                let Some(members) = at.value.as_object() else { return };
                for (_, schema) in dependents.iter().filter(|(name, _)| members.contains_key(*name)) {
                    self.collect_branch(schema, at, evaluation);
                }
            }
            _ => {}
        }
    }

    /// Adds the members and items that a subschema evaluates if it accepts the value, and returns true if it does.
    fn collect_branch(
        &self,
        schema: &'a Value,
        at: &mut At<'a, '_>,
        evaluation: &mut Evaluation<'a>,
    ) -> bool {
        let fits = self.fits(schema, at.value, at);
        if fits && let Some(keywords) = schema.as_object() {
            let depth = at.limits.depth.saturating_add(DEPTH);
            let limits = Limits { depth, most: 1, words: Words::None };
            self.collect(&mut At { keywords, value: at.value, path: at.path, limits }, "", evaluation);
        }
        fits
    }
}
