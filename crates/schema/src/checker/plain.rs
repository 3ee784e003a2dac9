//! A small validator for the keywords that tools use. It refuses schemas with rare keywords instead of
//! ignoring them.

mod check;
mod compile;
mod number;
mod pattern;

use std::collections::HashMap;

use regex::Regex;
use serde_json::Value;

use super::{SchemaError, Scope};
use crate::violation::Violation;
use check::{Check, Limits};

/// The validator of one schema: the compiled patterns. The schema itself is interpreted.
pub(super) struct Engine {
    patterns: HashMap<String, Regex>,
    /// True for drafts up to 7, in which keywords beside `$ref` are ignored.
    is_reference_alone: bool,
}

impl Engine {
    pub(super) fn compile(schema: &Value) -> Result<Self, SchemaError> {
        let patterns = compile::compile(schema)?;
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
        let check = Check {
            root: schema,
            patterns: &self.patterns,
            is_reference_alone: self.is_reference_alone,
            scope,
        };
        let mut found = Vec::new();
        check.apply(schema, value, &mut String::new(), Limits { depth: 0, most }, &mut found);
        found
    }

    /// Returns the paths of the first violations.
    pub(super) fn wrong_paths(&self, schema: &Value, value: &Value, most: usize) -> Vec<String> {
        let violations = self.violations(schema, value, Scope::Whole, most);
        violations.into_iter().map(|violation| violation.path).collect()
    }
}

#[cfg(test)]
mod tests;
