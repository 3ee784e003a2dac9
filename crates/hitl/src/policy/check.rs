//! Checks and permissions of a policy in the program's code.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::{Policy, PolicyError, loader};
use crate::{Decision, PolicyInput, Reason, Source, Stage, TraceEntry, Verdict};

/// An objection of a [check in code](Policy::with_check) to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    stage: Stage,
    verdict: Verdict,
    text: String,
}

impl Objection {
    /// Creates an objection that demands a human's answer. The text explains it to the human.
    pub fn ask(text: impl Into<String>) -> Self {
        Self { stage: Stage::AskRules, verdict: Verdict::Ask, text: text.into() }
    }

    /// Creates an objection that denies the call. The text explains it to the model.
    pub fn deny(text: impl Into<String>) -> Self {
        Self { stage: Stage::DenyRules, verdict: Verdict::Deny, text: text.into() }
    }

    /// Returns the explanation.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the entry of a decision's trace.
    pub(crate) fn to_entry(&self, id: &str, facts: &PolicyInput) -> TraceEntry {
        let reason = Reason::new(id, Source::Code, self.text.as_str());
        let about = format!("{} as a whole", facts.tool);
        TraceEntry::new(self.stage, self.verdict, reason, about)
    }
}

type CheckFunction = dyn Fn(&PolicyInput) -> Option<Objection> + Send + Sync;
type PermitFunction = dyn Fn(&PolicyInput) -> bool + Send + Sync;

/// The checks and permissions of a policy.
#[derive(Clone, Debug, Default)]
pub(super) struct CodeRules {
    checks: Vec<CodeRule<CheckFunction>>,
    permits: Vec<CodeRule<PermitFunction>>,
}

/// A function with its id.
struct CodeRule<F: ?Sized> {
    id: String,
    run: Arc<F>,
}

impl CodeRules {
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        let checks = self.checks.iter().map(|check| check.id.as_str());
        checks.chain(self.permits.iter().map(|permit| permit.id.as_str()))
    }
}

impl Decision {
    /// Adds an objection of the program's code to the decision, as [`Policy::with_check`](crate::Policy::with_check)
    /// does with its checks. The result is never less severe than before.
    ///
    /// ```
    /// # use windlass_hitl::{ApprovalHistory, PolicyInput, Grants, Objection, Policy, Verdict, decide};
    /// # use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall, ToolName};
    /// # let call = ToolCall::function(CallId::new("c")?, ToolName::new("look")?, Arguments::default());
    /// # let facts = PolicyInput::new(call.name.clone(), Hints::read_only(), &call, vec![Effect::Internal]);
    /// let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    /// assert_eq!(decision.verdict, Verdict::Allow);
    /// let decision = decision.with_objection("audit", &Objection::deny("not on Sundays"), &facts);
    /// assert_eq!((decision.verdict, decision.reason.rule_id.as_str()), (Verdict::Deny, "audit"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_objection(self, id: &str, objection: &Objection, facts: &PolicyInput) -> Self {
        let Self { mut trace, risk, .. } = self;
        trace.push(objection.to_entry(id, facts));
        Self::from_trace(trace, risk).deny_if_headless(facts.autonomy)
    }

    /// Turns a question that only the default of the autonomy asks into an approval, as
    /// [`Policy::with_permit`](crate::Policy::with_permit) does. A denial, and a question that a rule or a check
    /// demands, stay.
    pub fn with_permit(mut self, id: &str) -> Self {
        let is_default =
            |entry: &TraceEntry| entry.verdict == Verdict::Allow || entry.stage == Stage::Autonomy;
        if self.verdict != Verdict::Ask || !self.trace.iter().all(is_default) {
            return self;
        }
        let reason = Reason::new(id, Source::Code, "the program's code allows this");
        for entry in self.trace.iter_mut().filter(|entry| entry.verdict == Verdict::Ask) {
            entry.verdict = Verdict::Allow;
            entry.stage = Stage::AllowRules;
            entry.reason = reason.clone();
        }
        self.verdict = Verdict::Allow;
        self.reason = reason;
        self
    }
}

impl Policy {
    /// Adds a check in code, which can only make decisions stricter. It receives the facts of each call and
    /// returns `None`, or an [`Objection`] that asks or denies like a rule.
    ///
    /// A check must be a pure function of the facts: a decision can be repeated from the record of a run. It
    /// runs on the thread of the run, so it should return within microseconds. The digest of the policy
    /// contains only the check's id, so change the id together with the function. A check that panics denies
    /// the call.
    ///
    /// ```
    /// use windlass_hitl::{PolicyInput, Objection, Policy};
    /// use windlass_protocol::Payload;
    ///
    /// let limit = |facts: &PolicyInput| match &facts.payload {
    ///     Payload::Function { arguments } if facts.tool.as_str() == "pay" => {
    ///         let is_large = arguments.get("cents").and_then(|cents| cents.as_u64()) > Some(4_000);
    ///         is_large.then(|| Objection::ask("a large payment needs approval"))
    ///     }
    ///     _ => None,
    /// };
    /// let policy = Policy::default().with_check("large-payments", limit)?;
    /// # let _ = policy;
    /// # Ok::<(), windlass_hitl::PolicyError>(())
    /// ```
    ///
    /// # Errors
    /// If the id is empty or in use, or begins like the ids of built-in rules.
    pub fn with_check(
        mut self,
        id: impl Into<String>,
        check: impl Fn(&PolicyInput) -> Option<Objection> + Send + Sync + 'static,
    ) -> Result<Self, PolicyError> {
        let id = self.free_id(id.into())?;
        self.code.checks.push(CodeRule { id, run: Arc::new(check) });
        Ok(self)
    }

    /// Adds a permission in code: a call for which `permit` returns true is allowed, like by an allow rule. It
    /// lifts no denial and no mandatory question. Only the owner of the program can add one; policy files
    /// cannot.
    ///
    /// Like a [check](Self::with_check), it must be a pure function of the facts. A permission that panics
    /// allows nothing.
    ///
    /// # Errors
    /// If the id is empty or in use, or begins like the ids of built-in rules.
    pub fn with_permit(
        mut self,
        id: impl Into<String>,
        permit: impl Fn(&PolicyInput) -> bool + Send + Sync + 'static,
    ) -> Result<Self, PolicyError> {
        let id = self.free_id(id.into())?;
        self.code.permits.push(CodeRule { id, run: Arc::new(permit) });
        Ok(self)
    }

    /// Returns the id if a rule of the program's code can have it.
    fn free_id(&self, id: String) -> Result<String, PolicyError> {
        loader::check_id(&id)?;
        let is_taken = self.ids().any(|(known, _)| known == id);
        if is_taken { Err(PolicyError::DuplicateId { id }) } else { Ok(id) }
    }

    /// Returns the objections of the checks to a call. A check that panics denies the call.
    pub(crate) fn objections(&self, facts: &PolicyInput) -> Vec<TraceEntry> {
        let object = |check: &CodeRule<CheckFunction>| {
            let objection = catch_unwind(AssertUnwindSafe(|| (check.run)(facts)))
                .unwrap_or_else(|_| Some(Objection::deny("the check of this call failed")))?;
            Some(objection.to_entry(&check.id, facts))
        };
        self.code.checks.iter().filter_map(object).collect()
    }

    /// Returns the permission in code with the lowest id that allows a call. A permission that panics allows
    /// nothing.
    pub(crate) fn find_permit(&self, facts: &PolicyInput) -> Option<TraceEntry> {
        let permits = self
            .code
            .permits
            .iter()
            .filter(|permit| catch_unwind(AssertUnwindSafe(|| (permit.run)(facts))).unwrap_or(false));
        let permit = permits.min_by_key(|permit| &permit.id)?;
        let reason = Reason::new(&permit.id, Source::Code, "the program's code allows this");
        Some(TraceEntry::new(Stage::AllowRules, Verdict::Allow, reason, String::new()))
    }
}

impl<F: ?Sized> Clone for CodeRule<F> {
    fn clone(&self) -> Self {
        Self { id: self.id.clone(), run: Arc::clone(&self.run) }
    }
}

impl<F: ?Sized> fmt::Debug for CodeRule<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CodeRule").field(&self.id).finish()
    }
}
