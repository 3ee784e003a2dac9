//! From the name that a model wrote to a tool.

use std::collections::BTreeMap;

use windlass_protocol::ToolName;

/// Registered names and aliases. Names are looked up whole and never split (RULES N1).
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    exact: BTreeMap<String, usize>,
}

impl Names {
    /// Takes a name for the tool at a position, unless it is taken.
    pub(crate) fn insert(&mut self, name: &ToolName, position: usize) -> bool {
        let free = !self.exact.contains_key(name.as_str());
        if free {
            self.exact.insert(name.as_str().to_owned(), position);
        }
        free
    }

    /// Whether exactly this name is taken.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.exact.contains_key(name)
    }

    /// The tool of exactly this name or alias, else of the only name that differs in case, dashes or a
    /// `functions.` before it (RULES N3, N4).
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        if let Some(position) = self.exact.get(name) {
            return Some(*position);
        }
        let wanted = tolerant(name);
        let mut candidates = self.exact.iter().filter(|(known, _)| tolerant(known) == wanted);
        let (_, first) = candidates.next()?;
        candidates.all(|(_, other)| other == first).then_some(*first)
    }
}

fn tolerant(name: &str) -> String {
    let name = name.strip_prefix("functions.").unwrap_or(name);
    name.replace('-', "_").to_ascii_lowercase()
}
