//! A tool of a server that comes and goes while runs go on.

use std::sync::Arc;

use windlass_schema::Checker;
use windlass_tool::Tool;

use crate::Identity;
use crate::entry::Entry;

/// How a tool of a server is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a model sees it or has to look for it")]
pub enum Offer {
    /// It is offered.
    Shown,
    /// It is one of many: its name is understood, and it is offered when it was looked for.
    Deferred,
}

/// A tool of a server.
#[derive(Clone)]
pub(crate) struct Visitor {
    pub(crate) identity: Identity,
    pub(crate) entry: Arc<Entry>,
}

impl Visitor {
    /// A schema that cannot be used is no obstacle: one bad tool takes nothing with it (RULES N5).
    pub(crate) fn new(identity: Identity, tool: Arc<dyn Tool>, offer: Offer) -> Self {
        let name = identity.name().clone();
        let entry = Entry::new(&identity, name.clone(), Arc::clone(&tool))
            .unwrap_or_else(|_| Entry::with_checker(&identity, name, tool, None::<Checker>));
        let entry = if offer == Offer::Deferred { entry.into_deferred() } else { entry };
        Self { identity, entry: Arc::new(entry) }
    }
}
