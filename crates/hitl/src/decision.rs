//! Decisions, with the reasons for them.

use std::cmp::{Ordering, Reverse};
use std::fmt;

use serde::{Deserialize, Serialize};
use windlass_protocol::Risk;

use crate::{Autonomy, Stage};

/// Outcome for a call, ordered by severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "the three verdicts")]
pub enum Verdict {
    /// The call runs.
    Allow,
    /// The call waits for a human's answer.
    Ask,
    /// The call does not run.
    Deny,
}

/// Origin of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Source {
    /// The built-in rules of Windlass.
    Builtin,
    /// The administrator's policy file.
    Admin,
    /// The user's policy file.
    User,
    /// The project's policy file, which can only tighten the policy.
    Project,
    /// An answer that a human gave in this session.
    Session,
    /// Approvals that a human gave to earlier calls of the same shape.
    Learned,
    /// A check or a permission in the program's code.
    Code,
}

/// The rule that decided, with an explanation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reason {
    /// The rule's id, for example `f.outside_write`. It is not empty.
    pub rule_id: String,
    /// The origin of the rule.
    pub source: Source,
    /// An explanation for the human and the model.
    pub text: String,
}

/// Entry of a decision's trace: the result for one part of a call: an effect, the target of a link, or a file
/// that a command names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TraceEntry {
    /// The stage that decided.
    pub stage: Stage,
    /// The verdict about this part.
    pub verdict: Verdict,
    /// The rule that decided, and its explanation.
    pub reason: Reason,
    /// A short description of the part, such as `write src/lib.rs`. Texts over 160 characters are cut.
    #[serde(default)]
    pub about: String,
}

/// Decision about a whole call, as [`decide`](crate::decide) returns it: the verdict and the reason of its
/// most severe part, the risk, and a trace of all parts (RULES H2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Decision {
    /// The verdict about the call.
    pub verdict: Verdict,
    /// The rule that decided, and its explanation.
    pub reason: Reason,
    /// The highest risk of all parts, and never below the tool's own hint.
    pub risk: Risk,
    /// The results for the parts. Link targets and files of commands precede the effect that they belong to.
    /// Of the names below a removed folder only the most severe one is listed.
    pub trace: Vec<TraceEntry>,
}

impl Reason {
    /// The id of the denial of a call whose parts are too many to be decided.
    pub(crate) const TOO_MUCH: &str = "v.too_much";
    /// The id of the question about a command that is not plain words.
    pub(crate) const NOT_SIMPLE: &str = "p.not_simple";
    /// The id of the question about a command whose text is not plain words, but names each program that runs. It is the
    /// only reason to ask about its part. Each other id of this stage sorts before it, so it decides last.
    pub(crate) const WHOLE_TEXT: &str = "p.whole_text";

    /// Returns the next step that a denial with this reason suggests to the model.
    pub fn advice(&self) -> &'static str {
        match self.rule_id.as_str() {
            Self::TOO_MUCH => "Make several smaller calls.",
            _ => "Do not try to achieve the same effect in another way.",
        }
    }

    /// Creates a reason from a rule's id, its origin and an explanation.
    pub fn new(rule_id: impl Into<String>, source: Source, text: impl Into<String>) -> Self {
        Self { rule_id: rule_id.into(), source, text: text.into() }
    }

    /// Returns whether the question is about a command that is not plain words, and this is its only reason. A person can
    /// allow exactly this text for the session; no rule and no model can allow it.
    pub fn is_about_whole_text(&self) -> bool {
        self.source == Source::Builtin && self.rule_id == Self::WHOLE_TEXT
    }

    /// Returns the explanation for a person: the text, and the name of the rule if a policy file contains it.
    /// Names of built-in rules are for programs and tests. Nothing is escaped.
    ///
    /// ```
    /// use windlass_hitl::{Reason, Source};
    /// let builtin = Reason::new("d.ask", Source::Builtin, "changing a file needs a yes");
    /// assert_eq!(builtin.describe(), "changing a file needs a yes");
    /// let own = Reason::new("docs", Source::User, "a rule asks for this");
    /// assert_eq!(own.describe(), "a rule asks for this (your rule docs)");
    /// ```
    pub fn describe(&self) -> String {
        let Self { rule_id: id, source, text } = self;
        match source {
            Source::Admin => format!("{text} (the administrator's rule {id})"),
            Source::User => format!("{text} (your rule {id})"),
            Source::Project => format!("{text} (the project's rule {id})"),
            _ => text.clone(),
        }
    }
}

impl TraceEntry {
    pub(crate) fn new(stage: Stage, verdict: Verdict, reason: Reason, about: String) -> Self {
        Self { stage, verdict, reason, about }
    }

    /// Returns whether this entry takes precedence over another entry of the same call.
    pub(crate) fn is_worse_than(&self, other: &Self) -> bool {
        self.order(other) == Ordering::Less
    }

    /// Orders entries by precedence: the most severe verdict first. Among equal verdicts the earlier stage
    /// wins for a denial or a question, and the later stage for an approval. Then rules of users win over
    /// built-in rules, and the lowest rule id over the others (SECURITY "Policy engine").
    fn order(&self, other: &Self) -> Ordering {
        let rank = |entry: &Self| {
            let stage = i16::from(u8::from(entry.stage));
            let stage = if entry.verdict == Verdict::Allow { stage.saturating_neg() } else { stage };
            (Reverse(entry.verdict), stage, entry.reason.source == Source::Builtin)
        };
        rank(self).cmp(&rank(other)).then_with(|| self.reason.rule_id.cmp(&other.reason.rule_id))
    }
}

impl Decision {
    /// Returns whether an approval can be remembered for the session. It can if the risk is not critical and only the
    /// default of the autonomy asked, or the text of a command that a grant names exactly
    /// ([`Reason::is_about_whole_text`]). Each other question that a rule demands is repeated for each call.
    pub fn can_remember(&self) -> bool {
        let is_remembered = |entry: &TraceEntry| {
            entry.verdict == Verdict::Allow
                || entry.stage == Stage::Autonomy
                || entry.stage == Stage::AskRules && entry.reason.is_about_whole_text()
        };
        self.verdict == Verdict::Ask && self.risk < Risk::Critical && self.trace.iter().all(is_remembered)
    }

    pub(crate) fn from_trace(trace: Vec<TraceEntry>, risk: Risk) -> Self {
        let worst = trace.iter().min_by(|left, right| left.order(right));
        let (verdict, reason) = match worst {
            Some(entry) => (entry.verdict, entry.reason.clone()),
            None => (Verdict::Ask, Reason::new("d.ask", Source::Builtin, "the tool declares no effects")),
        };
        Self { verdict, reason, risk, trace }
    }
}

impl Decision {
    /// Turns a question into a denial in a headless run, where no human can answer.
    pub(crate) fn deny_if_headless(mut self, autonomy: Autonomy) -> Self {
        if autonomy == Autonomy::Headless && self.verdict == Verdict::Ask {
            self.verdict = Verdict::Deny;
            self.reason.text.push_str("; no approver is available");
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
