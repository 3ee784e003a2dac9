//! What an agent may do that another gave work to: never more than the one that gave it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::WorkMode;
use crate::catalogue::is_of_every_mode;
use crate::entry::Entry;

/// What was narrowed on the way from the root to this agent. It only ever becomes less.
#[derive(Clone, Default)]
pub(crate) struct Rights {
    /// The only tools, by their names in the registry; nothing where all are given.
    tools: Option<Arc<BTreeSet<String>>>,
    /// The modes in which those agents were that gave the work: what they do not give is not given here.
    modes: Vec<Arc<WorkMode>>,
}

impl Rights {
    /// The same, and no tools but these.
    pub(crate) fn with_tools(mut self, names: impl IntoIterator<Item = String>) -> Self {
        let names = names.into_iter().filter(|name| self.tools.as_ref().is_none_or(|all| all.contains(name)));
        let names: BTreeSet<String> = names.collect();
        self.tools = Some(Arc::new(names));
        self
    }

    /// The same, and nothing that this mode does not give.
    pub(crate) fn with_mode(mut self, mode: Option<&Arc<WorkMode>>) -> Self {
        self.modes
            .extend(mode.filter(|mode| self.modes.iter().all(|known| !Arc::ptr_eq(known, mode))).cloned());
        self
    }

    pub(crate) fn give(&self, entry: &Entry) -> bool {
        let name = entry.name.as_str();
        let is_named = self.tools.as_ref().is_none_or(|tools| tools.contains(name));
        is_named && (is_of_every_mode(name) || self.modes.iter().all(|mode| mode.gives(entry.group)))
    }

    /// The modes whose patterns hold for files, too.
    pub(crate) fn modes(&self) -> impl Iterator<Item = &WorkMode> {
        self.modes.iter().map(AsRef::as_ref)
    }
}
