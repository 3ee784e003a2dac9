//! Decisions about calls: lookup, validation, inspection of the disk and policy; and the check just before a
//! call runs that the decision still holds.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_hitl::{
    ApprovalHistory, ApprovalOutcome, ApprovalRequest, Binding, Decision, Digest, Facts, Verdict, decide,
};
use windlass_loop::CallDecision;
use windlass_protocol::{CallId, Effect, ResultStatus, ToolCall, ToolResult};
use windlass_toolbox::{Checked, Toolbox, WrongPayload};

use crate::AgentError;
use crate::agent_inner::AgentInner;
use crate::lessons::now_ms;
use crate::redacting::has_secret;
use crate::session::{Session, is_grant};
use crate::tools::Tools;

/// The decisions about the calls of a run, and the state that they depend on. Its methods read the disk, so
/// they must not be called in an async context.
pub(crate) struct CallGuard {
    parts: Arc<AgentInner>,
    tools: Arc<Tools>,
    session: Session,
    epoch: String,
    calls: Mutex<HashMap<CallId, CheckedCall>>,
    tainted: AtomicBool,
}

/// A call with its decision.
#[derive(Clone)]
struct CheckedCall {
    checked: Checked,
    /// The digest that a human's approval is bound to: the original call and all facts about it. `None` if no
    /// human was asked.
    digest: Option<Digest>,
    verdict: Verdict,
}

/// The outcome of a decision.
pub(crate) struct GuardedDecision {
    pub(crate) decision: CallDecision,
    /// Descriptions of the coercions that were applied to the arguments.
    pub(crate) coerced: Vec<String>,
}

impl GuardedDecision {
    /// Returns the refusal of a call for which the decision failed.
    pub(crate) fn from_failure(call: &CallId, error: &dyn std::error::Error) -> Self {
        let text = format!("not run: the decision about it failed: {error}");
        let result = ToolResult::text(call.clone(), ResultStatus::Error, text);
        Self { decision: CallDecision::Refused(result), coerced: Vec::new() }
    }
}

impl CallGuard {
    pub(crate) fn new(parts: Arc<AgentInner>, tools: Arc<Tools>, session: Session) -> Self {
        let epoch = parts.policy.epoch();
        Self { parts, tools, session, epoch, calls: Mutex::default(), tainted: AtomicBool::new(false) }
    }

    /// Checks that the tool accepts the payload kind of the call, or that the model can correct the call.
    pub(crate) fn route(&self, call: &ToolCall) -> Result<(), WrongPayload> {
        self.tools.current().map_or(Ok(()), |toolbox| toolbox.route(call))
    }

    /// Decides about a call and stores the decision for the check before the call runs.
    pub(crate) fn decide_call(&self, call: &ToolCall) -> GuardedDecision {
        let checked = match self.check(call) {
            Ok(checked) => checked,
            Err(result) => {
                return GuardedDecision { decision: CallDecision::Refused(*result), coerced: Vec::new() };
            }
        };
        let decision = self.decide(&checked.facts);
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
        let known = CheckedCall { digest, verdict: decision.verdict, checked };
        self.calls().insert(call.id.clone(), known);
        GuardedDecision { decision: CallDecision::Decided { facts, decision, request }, coerced }
    }

    /// Builds the approval request. The human sees and approves the call after coercion, as it will run
    /// (RULES H14).
    fn question(&self, checked: &Checked, decision: &Decision) -> Result<ApprovalRequest, AgentError> {
        let shown = self.digest(checked, &checked.call);
        let request =
            ApprovalRequest::new(request_id()?, checked.call.clone(), &checked.facts, decision, shown);
        Ok(request.with_agents(self.parts.agents.clone()).with_changes(checked.changes.clone()))
    }

    /// Returns the stored checked call, so that it runs without a second decision.
    pub(crate) fn checked(&self, call: &ToolCall) -> Option<Checked> {
        let known = self.calls().get(&call.id).cloned()?;
        Some(known.checked)
    }

    /// Checks just before a call runs that its decision still holds. A call that a human approved must not
    /// have changed at all. A call that the policy allowed may have changed, if the policy still allows it
    /// (RULES H4, H5).
    pub(crate) fn recheck(&self, call: &ToolCall) -> Result<(), Box<ToolResult>> {
        let known = self.calls().remove(&call.id);
        let Some(known) = known else { return Err(stale(call, "policy has not decided about this call")) };
        let checked = self.check(call)?;
        // The path rules that apply while the call runs were built with the links of the decision.
        if known.checked.facts.links != checked.facts.links {
            return Err(stale(call, "a link that a rule names leads elsewhere now"));
        }
        let is_unchanged = match &known.digest {
            Some(digest) => self.digest(&checked, call) == *digest,
            None => is_same(&known.checked, &checked),
        };
        if is_unchanged && known.checked.facts.call_kind == checked.facts.call_kind {
            self.note_taint(&checked);
            return Ok(());
        }
        if known.verdict == Verdict::Allow && self.decide(&checked.facts).verdict == Verdict::Allow {
            self.note_taint(&checked);
            return Ok(());
        }
        Err(stale(call, &difference(&known.checked.facts, &checked.facts)))
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
        let error = self.session.remember(&facts, decision).err()?;
        Some(format!("the answer is not remembered: {error}"))
    }

    /// Passes the outcome of an approval request to the learned approvals, if they are enabled.
    pub(crate) fn hear(&self, call: &CallId, outcome: &ApprovalOutcome) {
        let Some(lessons) = &self.parts.lessons else { return };
        if let Some(known) = self.calls().get(call) {
            lessons.record(&known.checked.facts, outcome);
        }
    }

    /// Marks the conversation as tainted: it contains text from outside.
    pub(crate) fn taint(&self) {
        self.tainted.store(true, Ordering::Relaxed);
    }

    /// Returns whether the conversation contains text from outside.
    pub(crate) fn is_tainted(&self) -> bool {
        self.tainted.load(Ordering::Relaxed)
    }

    fn check(&self, call: &ToolCall) -> Result<Checked, Box<ToolResult>> {
        let Some(toolbox) = self.tools.current() else {
            let text = "there are no tools in this conversation; answer in words";
            return Err(Box::new(ToolResult::text(call.id.clone(), ResultStatus::UnknownTool, text)));
        };
        let mut checked = toolbox.inspect(toolbox.check(call)?)?;
        checked.facts = checked
            .facts
            .with_links(self.parts.policy.resolve_links())
            .with_autonomy(self.parts.autonomy)
            .with_place(self.parts.root.as_str(), now_ms())
            .with_taint(self.tainted.load(Ordering::Relaxed))
            .with_secret(has_secret(&self.parts.redactor, call));
        Ok(checked)
    }

    fn decide(&self, facts: &Facts) -> Decision {
        let (policy, grants) = (&self.parts.policy, self.session.grants());
        match &self.parts.lessons {
            Some(lessons) => decide(policy, &grants, &lessons.lock_history(), facts),
            None => decide(policy, &grants, &ApprovalHistory::default(), facts),
        }
    }

    fn digest(&self, checked: &Checked, call: &ToolCall) -> Digest {
        let (root, epoch) = (&self.parts.root, &self.epoch);
        Binding { facts: &checked.facts, call, spec: &checked.spec, root, epoch }.digest()
    }

    fn note_taint(&self, checked: &Checked) {
        if brings_text_from_outside(&checked.facts.effects) {
            self.taint();
        }
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<CallId, CheckedCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether a call with these effects can return text from outside.
pub(crate) fn brings_text_from_outside(effects: &[Effect]) -> bool {
    effects
        .iter()
        .any(|effect| matches!(effect, Effect::Connect { .. } | Effect::Mcp { .. } | Effect::Spawn { .. }))
}

/// Returns whether one of the calls can have returned text from outside. Hidden tools count, because they may
/// have been offered when the call was made.
pub(crate) fn is_tainted<'a>(
    toolbox: Option<&Toolbox>,
    mut calls: impl Iterator<Item = &'a ToolCall>,
) -> bool {
    let Some(toolbox) = toolbox else { return false };
    calls.any(|call| toolbox.effects(call).is_some_and(|effects| brings_text_from_outside(&effects)))
}

fn stale(call: &ToolCall, what: &str) -> Box<ToolResult> {
    let text = format!(
        "stale_approval: not run, because the call does not match the decision about it ({what}). Look at it again, and make \
         the call once more if it is still right"
    );
    Box::new(ToolResult::text(call.id.clone(), ResultStatus::Denied, text))
}

/// Returns whether a call that the policy allowed has the same effects, targets and tool definition as when
/// it was decided.
fn is_same(before: &Checked, now: &Checked) -> bool {
    let (known, met) = (&before.facts, &now.facts);
    let is_same_sight = known.tool == met.tool
        && known.effects == met.effects
        && known.targets == met.targets
        && known.containment == met.containment;
    is_same_sight && before.call == now.call && before.spec == now.spec
}

/// Describes for the model the change between the decision and the run.
fn difference(before: &Facts, now: &Facts) -> String {
    let changed = now.targets.iter().find(|target| !before.targets.contains(target));
    if let Some(target) = changed {
        return format!("{} has changed", target.path);
    }
    if before.containment != now.containment {
        return "its process would be confined in another way".to_owned();
    }
    if before.effects != now.effects {
        return "it would do something else".to_owned();
    }
    "its arguments are not those that were approved".to_owned()
}

/// Returns a request id that cannot be guessed.
fn request_id() -> Result<String, AgentError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| AgentError::Random(error.to_string()))?;
    Ok(format!("approval-{:032x}", u128::from_be_bytes(bytes)))
}
