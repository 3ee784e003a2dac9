//! A change of a call's arguments by the human.

use windlass_hitl::ApprovalRequest;
use windlass_protocol::{Arguments, Payload, ToolCall};

/// The newest change of a call's arguments by the human.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    /// The request that the human answered with the change.
    pub(crate) asked: Box<ApprovalRequest>,
    pub(crate) arguments: Arguments,
    /// The number of changes of the call, including this one.
    pub(crate) count: u32,
    /// True if the arguments are known to contain no secret, so that the model may see them.
    pub(crate) is_clean: bool,
}

impl Edit {
    pub(crate) fn new(asked: Box<ApprovalRequest>, arguments: Arguments, earlier: u32) -> Self {
        Self { asked, arguments, count: earlier.saturating_add(1), is_clean: false }
    }

    /// Returns the call with the changed arguments, or `None` if the call has no arguments.
    pub(crate) fn apply(&self, call: &ToolCall) -> Option<ToolCall> {
        let mut changed = call.clone();
        changed.payload = self.asked.call.payload.clone();
        match &mut changed.payload {
            Payload::Function { arguments } | Payload::Mcp { arguments, .. } => {
                *arguments = self.arguments.clone();
                Some(changed)
            }
            _ => None,
        }
    }

    /// Returns true if the change leaves the call as the human saw it.
    pub(crate) fn is_idle(&self) -> bool {
        match &self.asked.call.payload {
            Payload::Function { arguments } | Payload::Mcp { arguments, .. } => {
                arguments.canonical() == self.arguments.canonical()
            }
            _ => false,
        }
    }
}
