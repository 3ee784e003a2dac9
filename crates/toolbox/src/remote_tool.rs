//! Tools of servers that change during runs.

use std::sync::Arc;

use windlass_schema::Checker;
use windlass_tool::Tool;

use crate::Identity;
use crate::entry::Entry;

/// The way in which a server's tool is offered: directly, or after a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a model sees it or has to look for it")]
pub enum ToolVisibility {
    /// The model sees the tool.
    Shown,
    /// The model sees the tool only after a search. A call by its name is accepted even before the search.
    Deferred,
}

/// A tool of a server with its identity.
#[derive(Clone)]
pub(crate) struct RemoteTool {
    pub(crate) identity: Identity,
    pub(crate) entry: Arc<Entry>,
}

impl RemoteTool {
    /// Creates the entry. An unusable schema only disables validation, so one bad tool does not affect the
    /// others (RULES N5).
    pub(crate) fn new(identity: Identity, tool: Arc<dyn Tool>, offer: ToolVisibility) -> Self {
        let name = identity.name().clone();
        let entry = Entry::new(&identity, name.clone(), Arc::clone(&tool))
            .unwrap_or_else(|_| Entry::with_checker(&identity, name, tool, None::<Checker>));
        let entry = if offer == ToolVisibility::Deferred { entry.into_deferred() } else { entry };
        Self { identity, entry: Arc::new(entry) }
    }
}
