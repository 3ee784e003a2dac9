//! Decisions about calls: lookup, validation, inspection of the disk and policy; and the check just before a
//! call runs that the decision still holds.

mod approvals;
mod changes;
mod guarded_decision;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_hitl::{ApprovalHistory, Binding, Decision, Digest, PolicyInput, Verdict, decide};
use windlass_loop::CallDecision;
use windlass_protocol::{CallId, ResultStatus, ToolCall, ToolResult};
use windlass_toolbox::{CheckedCall, WrongPayload};

use self::changes::{difference, is_same, refuse_stale};
pub(crate) use self::guarded_decision::{Amendments, GuardedDecision};
use crate::agent_inner::AgentInner;
use crate::lessons::now_ms;
use crate::redacting::has_secret;
use crate::shared_grants::SharedGrants;
use crate::taint::Taint;
use crate::tools::Tools;

/// The decisions about the calls of a run, and the state that they depend on. Its methods read the disk, so
/// they must not be called in an async context.
pub(crate) struct CallGuard {
    parts: Arc<AgentInner>,
    tools: Arc<Tools>,
    grants: SharedGrants,
    epoch: String,
    calls: Mutex<HashMap<CallId, GuardedCall>>,
    taint: Taint,
}

/// A call with its decision.
#[derive(Clone)]
struct GuardedCall {
    checked: CheckedCall,
    /// The digest that a human's approval is bound to: the original call and all facts about it. `None` if no
    /// human was asked.
    digest: Option<Digest>,
    verdict: Verdict,
    /// The call that a hook made of the model's call.
    rewritten: Option<ToolCall>,
}

impl CallGuard {
    pub(crate) fn new(parts: Arc<AgentInner>, tools: Arc<Tools>, grants: SharedGrants) -> Self {
        let epoch = parts.policy.epoch();
        Self { parts, tools, grants, epoch, calls: Mutex::default(), taint: Taint::default() }
    }

    /// Checks that the tool accepts the payload kind of the call, or that the model can correct the call.
    pub(crate) fn route(&self, call: &ToolCall) -> Result<(), WrongPayload> {
        self.tools.current().map_or(Ok(()), |toolbox| toolbox.route(call))
    }

    /// Decides about a call and stores the decision for the check before the call runs.
    pub(crate) fn decide_call(&self, call: &ToolCall) -> GuardedDecision {
        self.decide_amended(call, Amendments::default())
    }

    /// Decides about a call with the changes of hooks.
    pub(crate) fn decide_amended(&self, call: &ToolCall, amendments: Amendments) -> GuardedDecision {
        let rewritten = amendments.rewritten;
        let call = rewritten.as_ref().unwrap_or(call);
        let checked = match self.check(call) {
            Ok(checked) => checked,
            Err(result) => {
                return GuardedDecision { decision: CallDecision::Refused(*result), coerced: Vec::new() };
            }
        };
        let mut decision = self.decide(&checked.facts);
        for (id, objection) in &amendments.objections {
            decision = decision.with_objection(id, objection, &checked.facts);
        }
        if let Some(id) = &amendments.permit {
            decision = decision.with_permit(id);
        }
        let request = match decision.verdict {
            Verdict::Ask => match self.question(&checked, &decision) {
                Ok(request) => Some(Box::new(request)),
                Err(error) => return GuardedDecision::from_failure(&call.id, &error),
            },
            Verdict::Allow | Verdict::Deny => None,
        };
        let coerced = checked.coerced.iter().map(ToString::to_string).collect();
        let facts = Box::new(checked.facts.clone());
        let digest = (decision.verdict == Verdict::Ask).then(|| self.digest(&checked, call));
        let id = call.id.clone();
        let known = GuardedCall { digest, verdict: decision.verdict, checked, rewritten };
        self.calls().insert(id, known);
        GuardedDecision { decision: CallDecision::Decided { facts, decision, request }, coerced }
    }

    /// Returns the stored checked call, so that it runs without a second decision.
    pub(crate) fn find_checked(&self, call: &ToolCall) -> Option<CheckedCall> {
        let known = self.calls().get(&call.id).cloned()?;
        Some(known.checked)
    }

    /// Checks just before a call runs that its decision still holds. A call that a human approved must not
    /// have changed at all. A call that the policy allowed may have changed, if the policy still allows it
    /// (RULES H4, H5).
    pub(crate) fn recheck(&self, call: &ToolCall) -> Result<(), Box<ToolResult>> {
        let known = self.calls().remove(&call.id);
        let Some(known) = known else {
            return Err(refuse_stale(call, "policy has not decided about this call"));
        };
        let call = known.rewritten.as_ref().unwrap_or(call);
        let checked = self.check(call)?;
        // The path rules that apply while the call runs were built with the link targets that were valid at the
        // decision. Refuse the call if a target has changed.
        if known.checked.facts.links != checked.facts.links {
            return Err(refuse_stale(call, "the target of a link that a rule names has changed"));
        }
        let is_unchanged = match &known.digest {
            Some(digest) => self.digest(&checked, call) == *digest,
            None => is_same(&known.checked, &checked),
        };
        if is_unchanged && known.checked.facts.call_kind == checked.facts.call_kind {
            self.taint.note(&checked.facts.effects);
            return Ok(());
        }
        if known.verdict == Verdict::Allow && self.decide(&checked.facts).verdict == Verdict::Allow {
            self.taint.note(&checked.facts.effects);
            return Ok(());
        }
        Err(refuse_stale(call, &difference(&known.checked.facts, &checked.facts)))
    }

    pub(crate) fn taint(&self) -> &Taint {
        &self.taint
    }

    fn check(&self, call: &ToolCall) -> Result<CheckedCall, Box<ToolResult>> {
        let Some(toolbox) = self.tools.current() else {
            let text = "this conversation has no tools";
            let result = ToolResult::text(call.id.clone(), ResultStatus::UnknownTool, text);
            return Err(Box::new(result.with_advice("Answer in text.".to_owned())));
        };
        let mut checked = toolbox.inspect(toolbox.check(call)?)?;
        checked.facts = checked
            .facts
            .with_links(self.parts.policy.resolve_links())
            .with_autonomy(self.parts.autonomy)
            .with_place(self.parts.root.as_str(), now_ms())
            .with_taint(self.taint.is_marked())
            .with_secret(has_secret(&self.parts.redactor, call));
        Ok(checked)
    }

    fn decide(&self, facts: &PolicyInput) -> Decision {
        let (policy, grants) = (&self.parts.policy, self.grants.grants());
        match &self.parts.lessons {
            Some(lessons) => decide(policy, &grants, &lessons.lock_history(), facts),
            None => decide(policy, &grants, &ApprovalHistory::default(), facts),
        }
    }

    fn digest(&self, checked: &CheckedCall, call: &ToolCall) -> Digest {
        let (root, epoch) = (&self.parts.root, &self.epoch);
        Binding { facts: &checked.facts, call, spec: &checked.spec, root, epoch }.digest()
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<CallId, GuardedCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
