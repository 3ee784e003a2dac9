//! Selection of the branch of a union by which a value is coerced.

use serde_json::Value;

use super::{Coercion, Place, Sight, Walk};
use crate::fits::fits;
use crate::json::Json;
use crate::wanted::resolve;

/// Maximum depth to which a value is compared with a branch.
const FITS: usize = 16;

/// Result of coercing a value by the branches of a union.
pub(super) enum Branch {
    /// The schema has no branches, or no branch accepts the value.
    None,
    /// A branch accepts the value unchanged.
    Fits,
    /// A branch accepts the coerced value.
    Coerced(Json, Vec<Coercion>),
}

impl<'a> Walk<'a> {
    /// Finds the branch of a union that accepts a value, unchanged or coerced.
    pub(super) fn branch(&self, value: &Json, schema: &'a Value, place: &Place<'_>, depth: usize) -> Branch {
        let schema = resolve(schema, self.root);
        let Some(depth) = depth.checked_sub(1) else { return Branch::None };
        let unions = ["anyOf", "oneOf"].into_iter().filter_map(|word| schema.get(word)?.as_array());
        let branches: Vec<&Value> = unions.flatten().take(32).collect();
        if branches.is_empty() || self.budget.charge(branches.len(), value.to_string().len()).is_none() {
            return Branch::None;
        }
        // Coerce by the keywords beside the union first: a branch may depend on these members, too.
        let mut beside = self.begin();
        let value = beside.members(value.clone(), schema, place, Sight::Beside);
        let is_taken = |value: &Json, branch: &Value| {
            let value: Value = serde_json::from_str(&value.to_string()).unwrap_or_default();
            fits(&value, branch, self.root, FITS)
        };
        if branches.iter().any(|branch| is_taken(&value, branch)) {
            return Branch::Fits;
        }
        let coerced = branches.into_iter().filter_map(|branch| {
            let mut walk = self.begin();
            let value = match walk.branch(&value, branch, place, depth) {
                Branch::Coerced(value, coerced) => {
                    walk.coerced = coerced;
                    walk.members(value, branch, place, Sight::Beside)
                }
                Branch::Fits => walk.members(value.clone(), branch, place, Sight::Beside),
                Branch::None => walk.members(value.clone(), branch, place, Sight::Branches),
            };
            is_taken(&value, branch).then_some((value, walk.coerced))
        });
        // Prefer the branch with the fewest changes, and the first of several such branches.
        let best = coerced.min_by_key(|(_, coerced)| coerced.len());
        best.map_or(Branch::None, |(value, coerced)| {
            beside.coerced.extend(coerced);
            Branch::Coerced(value, beside.coerced)
        })
    }

    fn begin(&self) -> Self {
        Self { root: self.root, budget: self.budget, coerced: Vec::new() }
    }
}
