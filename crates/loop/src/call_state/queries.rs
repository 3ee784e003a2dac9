//! The consequences of a call's state for the other calls and for the run.

use windlass_protocol::{ResultStatus, ToolResult};

use super::{Call, CallState};
use crate::{Wait, words};

impl Call {
    /// Returns true if an input about the call is expected in this process.
    pub(crate) fn is_working(&self) -> bool {
        match self.state {
            CallState::Speculative { .. }
            | CallState::Reconciling
            | CallState::Deciding
            | CallState::ApprovalQueued(_)
            | CallState::Asking
            | CallState::Running => true,
            CallState::Held | CallState::Postponed { .. } | CallState::Deferred | CallState::Ended(_) => {
                false
            }
        }
    }

    /// Returns true if the call may still need an approval request, which comes before those of later calls.
    pub(crate) fn may_need_approval(&self) -> bool {
        matches!(
            self.state,
            CallState::Speculative { runs: false }
                | CallState::Reconciling
                | CallState::Deciding
                | CallState::ApprovalQueued(_)
        )
    }

    /// Returns the event for which a suspended run waits.
    pub(crate) fn wait(&self) -> Option<Wait> {
        let call = self.invocation.id.clone();
        match &self.state {
            CallState::Postponed { request_id } => {
                Some(Wait::Approval { call, request_id: request_id.clone() })
            }
            CallState::Deferred => Some(Wait::Result { call }),
            _ => None,
        }
    }

    /// Returns the result that the call gets when the run stops; `None` if the call has ended, or if it runs
    /// and reports its own result (RULES H16, L7).
    pub(crate) fn result_on_stop(&self) -> Option<ToolResult> {
        let (status, text) = match self.state {
            CallState::Held
            | CallState::Deciding
            | CallState::ApprovalQueued(_)
            | CallState::Asking
            | CallState::Postponed { .. } => (ResultStatus::Cancelled, words::CANCELLED),
            CallState::Reconciling => (ResultStatus::EffectsUnknown, words::EFFECTS_UNKNOWN),
            CallState::Deferred => (ResultStatus::EffectsUnknown, words::CANCELLED_ELSEWHERE),
            CallState::Speculative { .. } | CallState::Running | CallState::Ended(_) => return None,
        };
        Some(text.to_result(self.invocation.id.clone(), status))
    }
}
