//! Resolution of paths from the position of a step.

use serde_json::{Value, json};

use super::{Instance, Machine, State};
use crate::template::{Path, follow};

impl Machine {
    pub(super) fn look(&self, scope: usize, path: &Path) -> Option<Value> {
        if let Some((name, rest)) = path.step() {
            let mut around = self.iter_levels(scope);
            let step = around.find_map(|scope| self.find_sibling(scope, name))?;
            return match step.state {
                State::Ended(_) => follow(&step.view(), rest),
                _ => None,
            };
        }
        let element = |scope: usize| self.scopes.get(scope)?.item.as_ref();
        match path.root() {
            "input" => follow(&self.input, path.rest()),
            "item" => {
                self.iter_levels(scope).find_map(element).and_then(|(_, item)| follow(item, path.rest()))
            }
            "index" => self.iter_levels(scope).find_map(element).map(|(position, _)| json!(position)),
            _ => None,
        }
    }

    /// Returns the step with this name in one level.
    pub(super) fn find_sibling(&self, scope: usize, name: &str) -> Option<&Instance> {
        self.steps.get(*self.scopes.get(scope)?.names.get(name)?)
    }

    /// Returns a level and the levels around it, from the inside out.
    pub(super) fn iter_levels(&self, scope: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(scope), |scope| {
            let owner = self.scopes.get(*scope)?.owner;
            self.steps.get(owner).map(|step| step.scope)
        })
    }
}
