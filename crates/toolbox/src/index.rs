//! The tools of a toolbox and their names.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_protocol::{Hints, Risk, ToolName};
use windlass_schema::SchemaError;

use crate::entry::Entry;
use crate::{DynamicTools, Identity, ModelRule, NameMap, ToolConfig, WorkModes};

/// All tools of a view, offered or hidden.
pub(crate) struct ToolIndex {
    pub(crate) names: NameMap,
    pub(crate) entries: Vec<Arc<Entry>>,
    pub(crate) generation: u64,
}

/// The part of a toolbox that does not change during runs.
#[derive(Clone)]
pub(crate) struct FixedTools {
    pub(crate) config: ToolConfig,
    pub(crate) rule: ModelRule,
    pub(crate) modes: WorkModes,
    pub(crate) unavailable: BTreeMap<String, String>,
    pub(crate) unchecked: Vec<(ToolName, SchemaError)>,
    pub(crate) dynamic: Option<DynamicTools>,
    /// The static tools and their names.
    pub(crate) names: NameMap,
    pub(crate) entries: Vec<Arc<Entry>>,
}

/// A tool with the names under which a model may call it (RULES N1, N3, N4).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallableTool {
    /// The tool's name in the registry.
    pub name: ToolName,
    /// The tool's hints about itself.
    pub hints: Hints,
    /// The names that resolve exactly: the display name and aliases.
    pub exact: Vec<String>,
    /// The tolerant forms ([`ToolName::loose_form`]) of names that resolve to this tool alone. Empty for
    /// high-risk tools.
    pub loose: Vec<String>,
}

impl ToolIndex {
    /// Collects the static tools, followed by the dynamic tools.
    pub(crate) fn collect(plan: &FixedTools) -> Self {
        let (generation, dynamic) = plan.dynamic.as_ref().map(DynamicTools::entries).unwrap_or_default();
        let mut names = plan.names.clone();
        let mut entries = plan.entries.clone();
        for entry in dynamic {
            if names.push(&entry.name).is_ok() {
                entries.push(entry);
            }
        }
        let remote_tools = plan.dynamic.as_ref().map(DynamicTools::remote_tools).unwrap_or_default();
        let identities: Vec<&Identity> = remote_tools.iter().map(|remote| &remote.identity).collect();
        let shown = names.push_remote(&identities);
        for (remote, shown) in remote_tools.iter().zip(shown) {
            entries.extend(shown.map(|shown| remote.entry.clone().with_display_name(shown)));
        }
        Self { names, entries, generation }
    }

    /// Returns the entry of a registered name, or of a name that a model may write.
    pub(crate) fn find_any(&self, name: &str) -> Option<&Arc<Entry>> {
        let position = self.names.find_registered(name).or_else(|| self.names.position(name));
        position.and_then(|position| self.entries.get(position))
    }

    /// Returns the entry that a call of this name reaches.
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<Entry>> {
        let entry = self.names.position(name).and_then(|position| self.entries.get(position))?;
        // A high-risk tool resolves only by an exact name (RULES N3 allows tolerance but does not require
        // it).
        (self.names.is_exact(name) || entry.tool.hints().risk < Risk::High).then_some(entry)
    }

    /// Returns all tools with the names under which a model may call them.
    pub(crate) fn callable_tools(&self) -> Vec<CallableTool> {
        let callable = |(position, entry): (usize, &Arc<Entry>)| {
            let hints = entry.tool.hints();
            let (exact, loose) = self.names.names_of(position);
            // As in `find`, a high-risk tool resolves only by an exact name.
            let loose = if hints.risk < Risk::High { loose } else { Vec::new() };
            CallableTool { name: entry.name.clone(), hints, exact, loose }
        };
        self.entries.iter().enumerate().map(callable).collect()
    }
}
