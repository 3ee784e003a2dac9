//! A decision, and why.

use std::cmp::{Ordering, Reverse};
use std::fmt;

use serde::{Deserialize, Serialize};
use windlass_protocol::Risk;

use crate::Mode;

/// What is decided about a call. Ordered by severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "the three verdicts")]
pub enum Verdict {
    /// It runs.
    Allow,
    /// A human is asked.
    Ask,
    /// It does not run.
    Deny,
}

/// Who wrote the rule that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Source {
    /// Windlass itself.
    Builtin,
    /// The policy file of whoever looks after the machine.
    Admin,
    /// The user's policy file.
    User,
    /// The project's policy file, which can only tighten.
    Project,
    /// An answer of the human in this session.
    Session,
    /// Many answers of the human before.
    Learned,
}

/// Which rule decided, and in what words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reason {
    /// The rule's id: never empty.
    pub rule_id: String,
    /// Who wrote it.
    pub source: Source,
    /// Why, in words for human and model.
    pub text: String,
}

/// What one part of the call came to: an effect, the file behind a link, a file that a command names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Step {
    /// The stage that decided, 0 to 8.
    pub stage: u8,
    /// What it came to.
    pub verdict: Verdict,
    /// By which rule.
    pub reason: Reason,
    /// What is judged here, in a few words; long ones are cut.
    #[serde(default)]
    pub about: String,
}

/// The decision about a call (RULES H2): the most severe of its effects' decisions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Decision {
    /// What is decided.
    pub verdict: Verdict,
    /// By which rule.
    pub reason: Reason,
    /// How much harm the call could do.
    pub risk: Risk,
    /// A step for each part, links and files of commands before the effect they belong to.
    pub trace: Vec<Step>,
}

impl Reason {
    /// A rule and its words.
    pub fn new(rule_id: impl Into<String>, source: Source, text: impl Into<String>) -> Self {
        Self { rule_id: rule_id.into(), source, text: text.into() }
    }
}

impl Step {
    pub(crate) fn new(stage: u8, verdict: Verdict, reason: Reason, about: String) -> Self {
        Self { stage, verdict, reason, about }
    }

    /// Whether this step decides where both are of one call.
    pub(crate) fn is_worse_than(&self, other: &Self) -> bool {
        self.order(other) == Ordering::Less
    }

    /// The most severe step first; among equals what came first on the way to a no or a question, and what came last on
    /// the way to a yes; then the lowest rule id, those of Windlass itself last (SECURITY "Policy engine").
    fn order(&self, other: &Self) -> Ordering {
        let rank = |step: &Self| {
            let stage = i16::from(step.stage);
            let stage = if step.verdict == Verdict::Allow { stage.saturating_neg() } else { stage };
            (Reverse(step.verdict), stage, step.reason.source == Source::Builtin)
        };
        rank(self).cmp(&rank(other)).then_with(|| self.reason.rule_id.cmp(&other.reason.rule_id))
    }
}

impl Decision {
    /// Whether a yes can be remembered for the session: only where no rule demands the question each time.
    pub fn can_remember(&self) -> bool {
        self.verdict == Verdict::Ask
            && self.risk < Risk::Critical
            && self.trace.iter().all(|step| step.verdict == Verdict::Allow || step.stage == 8)
    }

    pub(crate) fn of(trace: Vec<Step>, risk: Risk) -> Self {
        let worst = trace.iter().min_by(|left, right| left.order(right));
        let (verdict, reason) = match worst {
            Some(step) => (step.verdict, step.reason.clone()),
            None => (Verdict::Ask, Reason::new("d.ask", Source::Builtin, "the tool names no effects")),
        };
        Self { verdict, reason, risk, trace }
    }
}

impl Decision {
    /// The same decision where nobody can be asked: a question is a no.
    pub(crate) fn in_mode(mut self, mode: Mode) -> Self {
        if mode == Mode::Headless && self.verdict == Verdict::Ask {
            self.verdict = Verdict::Deny;
            self.reason.text.push_str("; nobody is there to ask");
        }
        self
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}
