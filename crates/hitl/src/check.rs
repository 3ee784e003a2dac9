//! Checks and permissions of a policy in the program's code.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::{Facts, Reason, Source, Stage, TraceEntry, Verdict};

/// An objection of a [check in code](crate::Policy::with_check) to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    verdict: Verdict,
    text: String,
}

impl Objection {
    /// Creates an objection that demands a human's answer. The text explains it to the human.
    pub fn ask(text: impl Into<String>) -> Self {
        Self { verdict: Verdict::Ask, text: text.into() }
    }

    /// Creates an objection that denies the call. The text explains it to the model.
    pub fn deny(text: impl Into<String>) -> Self {
        Self { verdict: Verdict::Deny, text: text.into() }
    }
}

type CheckFunction = Arc<dyn Fn(&Facts) -> Option<Objection> + Send + Sync>;

/// A check with its id.
#[derive(Clone)]
pub(crate) struct Check {
    id: String,
    check: CheckFunction,
}

impl Check {
    pub(crate) fn new(
        id: String,
        check: impl Fn(&Facts) -> Option<Objection> + Send + Sync + 'static,
    ) -> Self {
        Self { id, check: Arc::new(check) }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Runs the check. A panic denies the call.
    pub(crate) fn object(&self, facts: &Facts) -> Option<TraceEntry> {
        let objection = catch_unwind(AssertUnwindSafe(|| (self.check)(facts)))
            .unwrap_or_else(|_| Some(Objection::deny("the check of this call failed")))?;
        let stage = match objection.verdict {
            Verdict::Deny => Stage::DenyRules,
            Verdict::Ask | Verdict::Allow => Stage::AskRules,
        };
        let reason = Reason::new(&self.id, Source::Code, objection.text);
        Some(TraceEntry::new(stage, objection.verdict, reason, format!("{} as a whole", facts.tool)))
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Check").field(&self.id).finish()
    }
}

/// A permission with its id.
#[derive(Clone)]
pub(crate) struct Permit {
    id: String,
    permit: Arc<dyn Fn(&Facts) -> bool + Send + Sync>,
}

impl Permit {
    pub(crate) fn new(id: String, permit: impl Fn(&Facts) -> bool + Send + Sync + 'static) -> Self {
        Self { id, permit: Arc::new(permit) }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the permission for a call. A panic allows nothing.
    pub(crate) fn allow(&self, facts: &Facts) -> Option<TraceEntry> {
        let is_permitted = catch_unwind(AssertUnwindSafe(|| (self.permit)(facts))).unwrap_or(false);
        is_permitted.then(|| {
            let reason = Reason::new(&self.id, Source::Code, "the program's code allows this");
            TraceEntry::new(Stage::AllowRules, Verdict::Allow, reason, String::new())
        })
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Permit").field(&self.id).finish()
    }
}
