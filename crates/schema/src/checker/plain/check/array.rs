//! The keywords of arrays.

use std::collections::HashSet;

use serde_json::Value;

use super::super::compile::limit;
use super::super::number::canonical;
use super::{At, Check};
use crate::violation::Violation;

impl<'a> Check<'a> {
    /// Appends the violations of a keyword that concerns the items of an array.
    pub(super) fn array(
        &self,
        keyword: &str,
        wanted: &'a Value,
        items: &'a [Value],
        at: &mut At<'a, '_>,
        found: &mut Vec<Violation>,
    ) {
        let first = at.keywords.get("prefixItems").or_else(|| at.keywords.get("items"));
        let first = first.and_then(Value::as_array).map_or(0, Vec::len);
        match (keyword, wanted) {
            ("prefixItems" | "items", Value::Array(schemas)) => {
                for (number, (schema, item)) in schemas.iter().zip(items).enumerate() {
                    self.check_child(schema, item, &number.to_string(), at, found);
                }
            }
            ("items" | "additionalItems", schema)
                if keyword == "items" || at.keywords.get("items").is_some_and(Value::is_array) =>
            {
                for (number, item) in items.iter().enumerate().skip(first) {
                    self.check_child(schema, item, &number.to_string(), at, found);
                }
            }
            ("unevaluatedItems", schema) if !self.is_reference_alone => {
                self.check_unevaluated_items(schema, items, at, found);
            }
            ("contains", schema) => {
                let count = items.iter().filter(|item| self.fits(schema, item, at)).count() as u64;
                let bound = |keyword: &str| at.keywords.get(keyword).and_then(limit);
                let (least, most) = (bound("minContains").unwrap_or(1), bound("maxContains"));
                if count < least || most.is_some_and(|most| count > most) {
                    let most = most.map(|most| format!(" and at most {most}")).unwrap_or_default();
                    let wanted = format!("at least {least}{most} items that fit `contains`");
                    found.push(at.violation(|| wanted));
                }
            }
            _ => {}
        }
    }
}

/// Returns whether two items are equal.
pub(super) fn has_equal_items(items: &[Value]) -> bool {
    let mut known = HashSet::new();
    items.iter().any(|item| !known.insert(canonical(item).to_string()))
}
