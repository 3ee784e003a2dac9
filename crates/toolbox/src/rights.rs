//! The rights of a sub-agent, which never exceed those of its caller.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::WorkMode;
use crate::catalogue::is_of_every_mode;
use crate::entry::Entry;

/// The restrictions that were collected on the path from the root agent to this agent. They only grow.
#[derive(Clone, Default)]
pub(crate) struct Rights {
    /// The permitted tools by registered name; `None` permits all tools.
    tools: Option<Arc<BTreeSet<String>>>,
    /// The tools that belong to a run of a calling agent, by registered name.
    withheld: Arc<BTreeSet<String>>,
    /// The modes of the calling agents. A tool must be granted by each of them.
    modes: Vec<Arc<WorkMode>>,
}

impl Rights {
    /// Restricts the tools to these names.
    pub(crate) fn with_tools(mut self, names: impl IntoIterator<Item = String>) -> Self {
        let names = names.into_iter().filter(|name| self.tools.as_ref().is_none_or(|all| all.contains(name)));
        let names: BTreeSet<String> = names.collect();
        self.tools = Some(Arc::new(names));
        self
    }

    /// Permits one more tool.
    pub(crate) fn with_tool(mut self, name: &str) -> Self {
        if let Some(tools) = &mut self.tools {
            Arc::make_mut(tools).insert(name.to_owned());
        }
        self
    }

    /// Withholds tools by their registered names.
    pub(crate) fn withhold(mut self, names: impl IntoIterator<Item = String>) -> Self {
        Arc::make_mut(&mut self.withheld).extend(names);
        self
    }

    /// Restricts the tools to those that this mode grants.
    pub(crate) fn with_mode(mut self, mode: Option<&Arc<WorkMode>>) -> Self {
        self.modes
            .extend(mode.filter(|mode| self.modes.iter().all(|known| !Arc::ptr_eq(known, mode))).cloned());
        self
    }

    pub(crate) fn give(&self, entry: &Entry) -> bool {
        let name = entry.name.as_str();
        let is_named =
            self.tools.as_ref().is_none_or(|tools| tools.contains(name)) && !self.withheld.contains(name);
        is_named && (is_of_every_mode(name) || self.modes.iter().all(|mode| mode.gives(entry.group)))
    }

    /// Iterates over the callers' modes, whose file patterns also apply.
    pub(crate) fn modes(&self) -> impl Iterator<Item = &WorkMode> {
        self.modes.iter().map(AsRef::as_ref)
    }
}
