//! The states of a call of an answer, and the transitions between them.
//!
//! ```text
//!  Speculative --hold--> Held --await_decision--> Deciding --queue_approval--> ApprovalQueued --ask--> Asking
//!       |                 |  \             |                                                  |   \
//!       |                 |   `-reconcile  |                                                  |    postpone
//!       | adopt           |collect   v     | run                                          run |      v
//!       v                 v   Reconciling  v                                                  |  Postponed
//!    Running <--------- Running <------- Running <--------------------------------------------'
//!       |                                  revise: Asking --> Deciding
//!       `--defer--> Deferred            end: from every state but Ended --> Ended
//! ```

#[cfg(test)]
mod tests;

mod queries;
mod revision;

use windlass_hitl::ApprovalRequest;
use windlass_protocol::{CallId, Control, ToolCall, ToolResult};

/// A call of an answer, with its state.
#[derive(Debug)]
pub(crate) struct Call {
    invocation: ToolCall,
    control: Control,
    state: CallState,
}

/// The state of a call between its answer and its result.
#[derive(Clone, Debug, PartialEq)]
enum CallState {
    /// The call started while its answer streamed, and its outcome is unknown. `runs` is true if policy
    /// allowed it.
    Speculative { runs: bool },
    /// The call has not been decided, because it may have to wait for others: a completion, a call that ends
    /// its answer or changes the mode, and the calls after a change of the mode.
    Held,
    /// The call's process ended while it ran. The driver compares the files with the call's plan.
    Reconciling,
    /// The driver looks the call up and asks policy.
    Deciding,
    /// Policy asks the human about the call. The approval request waits for those of earlier calls.
    ApprovalQueued(Box<ApprovalRequest>),
    /// The human has been asked.
    Asking,
    /// The approval request is not answered in this process.
    Postponed { request_id: String },
    /// The call runs.
    Running,
    /// The call continues outside this process.
    Deferred,
    /// The call has its result.
    Ended(ToolResult),
}

/// The call's state does not permit the transition. The input that requested the transition came too late or
/// twice, and is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrongState;

impl Call {
    /// Creates a call that waits for its release.
    pub(crate) fn new(call: ToolCall, control: Control) -> Self {
        Self { invocation: call, control, state: CallState::Held }
    }

    /// Creates a call that started while its answer streamed. `runs` is true if policy has allowed it.
    pub(crate) fn new_speculative(call: ToolCall, control: Control, runs: bool) -> Self {
        Self { invocation: call, control, state: CallState::Speculative { runs } }
    }

    pub(crate) fn id(&self) -> &CallId {
        &self.invocation.id
    }

    pub(crate) fn call(&self) -> &ToolCall {
        &self.invocation
    }

    pub(crate) fn control(&self) -> Control {
        self.control
    }

    /// Returns the result of a call that has ended.
    pub(crate) fn result(&self) -> Option<&ToolResult> {
        if let CallState::Ended(result) = &self.state { Some(result) } else { None }
    }

    /// Returns true if the call has no result yet.
    pub(crate) fn is_open(&self) -> bool {
        self.result().is_none()
    }

    pub(crate) fn is_held(&self) -> bool {
        self.state == CallState::Held
    }

    pub(crate) fn is_speculative(&self) -> bool {
        matches!(self.state, CallState::Speculative { .. })
    }

    pub(crate) fn is_reconciling(&self) -> bool {
        self.state == CallState::Reconciling
    }

    pub(crate) fn is_deciding(&self) -> bool {
        self.state == CallState::Deciding
    }

    pub(crate) fn is_asking(&self) -> bool {
        self.state == CallState::Asking
    }

    pub(crate) fn is_running(&self) -> bool {
        self.state == CallState::Running
    }

    pub(crate) fn is_deferred(&self) -> bool {
        self.state == CallState::Deferred
    }

    /// Returns the approval request that waits to be sent.
    pub(crate) fn next_approval(&self) -> Option<&ApprovalRequest> {
        if let CallState::ApprovalQueued(request) = &self.state { Some(request) } else { None }
    }

    fn change(&mut self, is_permitted: bool, to: CallState) -> Result<(), WrongState> {
        if !is_permitted {
            return Err(WrongState);
        }
        self.state = to;
        Ok(())
    }

    /// Marks a call that started while its answer streamed as allowed by policy.
    pub(crate) fn mark_running(&mut self) -> Result<(), WrongState> {
        self.change(self.is_speculative(), CallState::Speculative { runs: true })
    }

    /// Returns a call that changed nothing to the held calls, so that it is decided again.
    pub(crate) fn hold(&mut self) -> Result<(), WrongState> {
        self.change(self.is_speculative() || self.is_reconciling(), CallState::Held)
    }

    /// Waits for the comparison of the files with the plan of an interrupted call.
    pub(crate) fn reconcile(&mut self) -> Result<(), WrongState> {
        self.change(self.is_held(), CallState::Reconciling)
    }

    /// Waits for the decision of the call.
    pub(crate) fn await_decision(&mut self) -> Result<(), WrongState> {
        self.change(self.is_held() || self.is_speculative(), CallState::Deciding)
    }

    /// Keeps an approval request until those of earlier calls have been sent.
    pub(crate) fn queue_approval(&mut self, request: Box<ApprovalRequest>) -> Result<(), WrongState> {
        self.change(self.is_deciding(), CallState::ApprovalQueued(request))
    }

    /// Waits for the outcome of the approval request.
    pub(crate) fn ask(&mut self) -> Result<(), WrongState> {
        let is_permitted = self.is_deciding() || self.next_approval().is_some();
        self.change(is_permitted, CallState::Asking)
    }

    /// Leaves the approval request open for another process.
    pub(crate) fn postpone(&mut self, request_id: String) -> Result<(), WrongState> {
        self.change(self.is_asking(), CallState::Postponed { request_id })
    }

    /// Starts a call that policy or the human allowed.
    pub(crate) fn run(&mut self) -> Result<(), WrongState> {
        self.change(self.is_deciding() || self.is_asking(), CallState::Running)
    }

    /// Accepts a call that ran while its answer streamed; its result follows.
    pub(crate) fn adopt(&mut self) -> Result<(), WrongState> {
        self.change(self.is_speculative(), CallState::Running)
    }

    /// Waits for the result of a call that continued outside an earlier process.
    pub(crate) fn collect(&mut self) -> Result<(), WrongState> {
        self.change(self.is_held(), CallState::Running)
    }

    /// Lets a running call continue outside this process.
    pub(crate) fn defer(&mut self) -> Result<(), WrongState> {
        self.change(self.is_running(), CallState::Deferred)
    }

    /// Ends the call. A call ends once.
    pub(crate) fn end(&mut self, result: ToolResult) -> Result<(), WrongState> {
        self.change(self.is_open(), CallState::Ended(result))
    }
}
