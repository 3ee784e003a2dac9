//! The place where a tool leaves the transfer of a session's conversation.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::agent_inner::AgentInner;

/// The maximum number of hand-offs in one task, so that two agents cannot pass a conversation on for ever.
const MAX_HAND_OFFS: u32 = 8;

/// A requested transfer.
#[derive(Clone)]
pub(crate) struct HandOff {
    pub(crate) name: String,
    pub(crate) parts: Arc<AgentInner>,
    pub(crate) reason: String,
}

/// The place where a tool leaves the requested transfer for the session.
#[derive(Clone, Default)]
pub(crate) struct HandOffSlot {
    state: Arc<Mutex<SlotState>>,
}

#[derive(Default)]
struct SlotState {
    next: Option<HandOff>,
    count: u32,
}

impl HandOffSlot {
    /// Takes the requested transfer.
    pub(crate) fn take(&self) -> Option<HandOff> {
        self.lock().next.take()
    }

    /// Requests a transfer. Returns `false` if the task had too many.
    pub(crate) fn request(&self, next: HandOff) -> bool {
        let mut state = self.lock();
        if state.count >= MAX_HAND_OFFS {
            return false;
        }
        state.count = state.count.saturating_add(1);
        state.next = Some(next);
        true
    }

    fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
