//! The change of a call by the human.

use windlass_protocol::ToolCall;

use super::{Call, CallState, WrongState};

impl Call {
    /// Replaces the call by the one that the human changed, and waits for its decision. A call from a record
    /// stays held.
    pub(crate) fn revise(&mut self, changed: ToolCall) -> Result<(), WrongState> {
        match self.state {
            CallState::Asking => self.state = CallState::Deciding,
            CallState::Held => {}
            _ => return Err(WrongState),
        }
        self.invocation = changed;
        Ok(())
    }
}
