//! Approval requests for calls, and the answers to them.

use windlass_hitl::{ApprovalOutcome, ApprovalRequest, Decision};
use windlass_protocol::CallId;
use windlass_toolbox::CheckedCall;

use super::CallGuard;
use crate::AgentError;
use crate::shared_grants::is_grant;

impl CallGuard {
    /// Builds the approval request. The human sees and approves the call after coercion, as it will run
    /// (RULES H14).
    pub(super) fn question(
        &self,
        checked: &CheckedCall,
        decision: &Decision,
    ) -> Result<ApprovalRequest, AgentError> {
        let shown = self.digest(checked, &checked.call);
        let request =
            ApprovalRequest::new(request_id()?, checked.call.clone(), &checked.facts, decision, shown);
        Ok(request.with_agents(self.parts.agents.clone()).with_changes(checked.changes.clone()))
    }

    /// Adds the approval to the session's grants if it asks for that. Returns the reason if it cannot be
    /// added (RULES H9).
    pub(crate) fn remember(&self, call: &CallId, outcome: &ApprovalOutcome) -> Option<String> {
        self.hear(call, outcome);
        let ApprovalOutcome::Answered(decision) = outcome else { return None };
        if !is_grant(decision) {
            return None;
        }
        let facts = self.calls().get(call)?.checked.facts.clone();
        let error = self.grants.remember(&facts, decision).err()?;
        Some(format!("the approval was not stored for later calls: {error}"))
    }

    /// Passes the outcome of an approval request to the learned approvals, if they are enabled.
    pub(crate) fn hear(&self, call: &CallId, outcome: &ApprovalOutcome) {
        // Changed arguments make another call, which teaches nothing about the call of the model, and only a person
        // teaches.
        if let ApprovalOutcome::Answered(decision) = outcome
            && (decision.edit().is_some() || decision.is_by_model())
        {
            return;
        }
        let Some(lessons) = &self.parts.lessons else { return };
        if let Some(known) = self.calls().get(call) {
            lessons.record(&known.checked.facts, outcome);
        }
    }
}

/// Returns a request id that cannot be guessed.
fn request_id() -> Result<String, AgentError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| AgentError::Random(error.to_string()))?;
    Ok(format!("approval-{:032x}", u128::from_be_bytes(bytes)))
}
