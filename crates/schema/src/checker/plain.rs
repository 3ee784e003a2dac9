//! A small validator for the keywords that tools use. It refuses schemas with rare keywords instead of
//! ignoring them.

mod check;
mod compile;
mod number;
mod pattern;

use std::cell::Cell;
use std::collections::HashMap;

use regex::Regex;
use serde_json::Value;

use super::{SchemaError, Scope};
use crate::violation::Violation;
use check::{Check, Limits, Words};

/// The validator of one schema: the compiled patterns. The schema itself is interpreted.
pub(super) struct Engine {
    patterns: HashMap<String, Regex>,
    /// True for drafts up to 7, in which keywords beside `$ref` are ignored.
    is_reference_alone: bool,
}

impl Engine {
    /// Compiles a schema whose patterns have at most `pattern_bytes` bytes each when they are compiled.
    pub(super) fn compile(schema: &Value, pattern_bytes: usize) -> Result<Self, SchemaError> {
        let patterns = compile::compile(schema, pattern_bytes)?;
        let draft = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let is_reference_alone = ["draft-03", "draft-04", "draft-06", "draft-07"]
            .iter()
            .any(|old| draft.contains(&format!("json-schema.org/{old}")));
        Ok(Self { patterns, is_reference_alone })
    }

    /// Returns the first violations.
    pub(super) fn violations(
        &self,
        schema: &Value,
        value: &Value,
        scope: Scope,
        most: usize,
    ) -> Vec<Violation> {
        self.find(schema, value, scope, Limits { depth: 0, most, words: Words::Full })
    }

    /// Returns the first violation.
    pub(super) fn first_violation(&self, schema: &Value, value: &Value, scope: Scope) -> Option<Violation> {
        self.violations(schema, value, scope, 1).into_iter().next()
    }

    pub(super) fn is_valid(&self, schema: &Value, value: &Value) -> bool {
        self.wrong_paths(schema, value, 1).is_empty()
    }

    /// Returns the paths of the first violations.
    pub(super) fn wrong_paths(&self, schema: &Value, value: &Value, most: usize) -> Vec<String> {
        let violations =
            self.find(schema, value, Scope::Whole, Limits { depth: 0, most, words: Words::None });
        violations.into_iter().map(|violation| violation.path).collect()
    }

    /// Returns the path of the first violation.
    pub(super) fn first_wrong_path(&self, schema: &Value, value: &Value) -> Option<String> {
        self.wrong_paths(schema, value, 1).into_iter().next()
    }

    fn find(&self, schema: &Value, value: &Value, scope: Scope, limits: Limits) -> Vec<Violation> {
        let applied = Cell::new(0);
        let check = Check {
            root: schema,
            patterns: &self.patterns,
            is_reference_alone: self.is_reference_alone,
            scope,
            applied: &applied,
        };
        let mut found = Vec::new();
        check.apply(schema, value, &mut String::new(), limits, &mut found);
        if check.is_too_expensive() { vec![Violation::too_expensive()] } else { found }
    }
}

#[cfg(test)]
mod tests;
