//! The state of a phase for the machine, and the request of a compaction, which each phase takes.

use windlass_protocol::CallId;

use super::Phase;
use crate::core::Core;
use crate::transition::Transition;

impl Phase {
    /// Returns how often the human changed the arguments of a call.
    pub(crate) fn count_edits(&self, id: &CallId) -> u32 {
        if let Self::Executing(executing) = self { executing.count_edits(id) } else { 0 }
    }

    pub(crate) fn is_over(&self) -> bool {
        matches!(self, Self::Over)
    }

    /// Returns true if the machine waits for a summary.
    pub(crate) fn is_condensing(&self) -> bool {
        matches!(self, Self::Condensing(_))
    }

    /// Starts a run that only compacts the conversation before it, or requests the compaction before the next request of
    /// the run.
    pub(super) fn compact(&self, core: &mut Core) -> Option<Transition> {
        match self {
            Self::Idle => {
                core.start_compaction();
                Some(Transition::NextTurn)
            }
            Self::Over => None,
            _ => {
                core.request_compaction();
                None
            }
        }
    }
}
