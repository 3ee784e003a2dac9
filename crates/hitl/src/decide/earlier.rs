//! The stages of earlier answers of the human: grants for the session, and learned approvals.

use windlass_protocol::{Effect, Risk};

use crate::{ApprovalHistory, Grants, PolicyInput, Reason, Source, Stage, TraceEntry, Verdict};

/// Returns the permission of a grant for the session.
pub(super) fn check_grants(grants: &Grants, facts: &PolicyInput, risk: Risk) -> Option<TraceEntry> {
    // Calls of critical risk are asked each time (SECURITY "Risk levels").
    if risk == Risk::Critical || !grants.covers(facts) {
        return None;
    }
    let reason = Reason::new("g.session", Source::Session, "allowed by the human for this session");
    Some(TraceEntry::new(Stage::SessionGrants, Verdict::Allow, reason, String::new()))
}

/// Returns the permission that was learned from earlier approvals.
pub(super) fn check_history(
    history: &ApprovalHistory,
    facts: &PolicyInput,
    risk: Risk,
) -> Option<TraceEntry> {
    // Untrusted text may steer the model, so calls that could exfiltrate data are asked (SECURITY "Secrets
    // and output").
    let carries = |effect: &Effect| !effect.is_read() && !matches!(effect, Effect::Internal);
    if risk > Risk::Medium || facts.tainted && facts.effects_or_unknown().iter().any(carries) {
        return None;
    }
    let id = history.find_active(facts)?;
    let text = "calls of this shape were approved before, and often enough";
    let reason = Reason::new(format!("l.{id}"), Source::Learned, text);
    Some(TraceEntry::new(Stage::LearnedApprovals, Verdict::Allow, reason, String::new()))
}
