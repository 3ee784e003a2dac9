//! The ids of the calls of an answer.

use std::collections::HashMap;

use windlass_protocol::CallId;

use crate::AssembleOptions;

/// The used ids, each with the index of its call.
#[derive(Debug, Default)]
pub(super) struct CallIds {
    calls: HashMap<CallId, usize>,
}

impl CallIds {
    /// Returns an id of the provider, or `None` if it is invalid or another call has it.
    pub(super) fn accept(&self, id: &str) -> Option<CallId> {
        CallId::new(id).ok().filter(|id| !self.calls.contains_key(id))
    }

    pub(super) fn insert(&mut self, id: CallId, at: usize) {
        self.calls.insert(id, at);
    }

    /// Returns the call that has an id.
    pub(super) fn find(&self, id: &CallId) -> Option<usize> {
        self.calls.get(id).copied()
    }

    /// Synthesizes an id for the call at this index.
    pub(super) fn synthesize(&mut self, at: usize, options: &AssembleOptions) -> CallId {
        let mut position = at;
        let mut id = CallId::synthesize(options.turn, position);
        // A provider may use the same form of ids. The loop terminates because there is at most one id for
        // each call.
        while self.calls.contains_key(&id) {
            position = position.saturating_add(options.limits.calls.max(1));
            id = CallId::synthesize(options.turn, position);
        }
        self.insert(id.clone(), at);
        id
    }
}
