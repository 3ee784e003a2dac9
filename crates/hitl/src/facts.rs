//! Facts about a call on which a decision is based.

use serde::{Deserialize, Serialize};
use windlass_protocol::{
    Arguments, Containment, Effect, Hints, Payload, PlannedFile, Risk, Target, ToolCall, ToolName,
};

use crate::RuleLink;
use crate::part::{Part, parts};
use crate::risk::risk_of;

/// Autonomy of a run. It decides at the last stage, if no rule, grant or learned approval applies.
/// [`ReadOnly`](Self::ReadOnly) also denies at the stage of constraints, [`Headless`](Self::Headless) turns
/// every question into a denial, and learned approvals count only in [`Ask`](Self::Ask).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Autonomy {
    /// A human is asked about every call that no rule, grant or lesson decides, except for confined commands that
    /// are proved to only read.
    #[default]
    Ask,
    /// No human can answer: every call that would need an answer is denied.
    Headless,
    /// Effects other than reading and internal ones are denied. A command may run only if it is proved to
    /// only read.
    ReadOnly,
    /// Writing files inside the workspace needs no approval. Deleting them does. Records of earlier versions
    /// may say `auto`, which also allowed the commands that are now allowed in each level.
    #[serde(alias = "auto")]
    AutoEdit,
}

impl Autonomy {
    /// The names of all levels, as settings, commands and records write them.
    pub const NAMES: [&'static str; 4] =
        [Self::Ask.as_str(), Self::ReadOnly.as_str(), Self::AutoEdit.as_str(), Self::Headless.as_str()];

    /// Returns the name of the level.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Headless => "headless",
            Self::ReadOnly => "read-only",
            Self::AutoEdit => "auto-edit",
        }
    }
}

/// All inputs of a decision about one call, besides the policy, the grants and the lessons. They are
/// collected before the decision and recorded, so that the decision can be repeated from the journal.
///
/// Start with [`new`](Self::new), then add the known facts with the `with_*` methods.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PolicyInput {
    /// The tool's name in the registry, not an alias.
    pub tool: ToolName,
    /// The tool's own hints, such as its risk.
    pub hints: Hints,
    /// The payload that the tool would get.
    pub payload: Payload,
    /// The effects that the call would have, as the tool reports them.
    pub effects: Vec<Effect>,
    /// The autonomy of the run.
    #[serde(rename = "mode")]
    pub autonomy: Autonomy,
    /// The files that the paths of the effects lead to on the disk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Target>,
    /// The links that rules name, with their targets: a rule about a link also applies to its target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<RuleLink>,
    /// The confinement of a process that the call would start; `None` if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment: Option<Containment>,
    /// The kind of the call, if its effects do not describe it fully. Grants and lessons count for one kind
    /// only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_kind: Option<String>,
    /// The files that the call would change, before and after, if it does nothing else. Decisions ignore
    /// them. A record contains them, so that after a crash the files show whether the call was executed
    /// (RULES R6).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub planned: Vec<PlannedFile>,
    /// True if the conversation contains untrusted text, which may steer the model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
    /// True if the arguments contain a known secret.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_secret: bool,
    /// The workspace. Grants and lessons of one workspace do not count in another.
    #[serde(default)]
    pub scope: String,
    /// The time of the decision, in milliseconds since 1970. Decisions read no clock.
    #[serde(default)]
    pub now_ms: u64,
}

impl PolicyInput {
    /// Creates the facts of a call: with the autonomy [`Autonomy::Ask`], with empty or false values for
    /// everything else.
    pub fn new(tool: ToolName, hints: Hints, call: &ToolCall, effects: Vec<Effect>) -> Self {
        let payload = call.payload.clone();
        Self {
            tool,
            hints,
            payload,
            effects,
            autonomy: Autonomy::Ask,
            targets: Vec::new(),
            links: Vec::new(),
            containment: None,
            call_kind: None,
            planned: Vec::new(),
            tainted: false,
            has_secret: false,
            scope: String::new(),
            now_ms: 0,
        }
    }

    /// Sets the files that the paths lead to, and the confinement of the call's processes.
    pub fn with_sight(mut self, targets: Vec<Target>, containment: Option<Containment>) -> Self {
        self.targets = targets;
        self.containment = containment;
        self
    }

    /// Sets the links that the policy's rules name, as
    /// [`Policy::resolve_links`](crate::Policy::resolve_links) returns them.
    pub fn with_links(mut self, links: Vec<RuleLink>) -> Self {
        self.links = links;
        self
    }

    /// Sets the kind of the call, as its tool states it.
    pub fn with_call_kind(mut self, kind: Option<String>) -> Self {
        self.call_kind = kind;
        self
    }

    /// Sets the minimum risk of this call in place of that of the tool's hints, if its tool states one.
    pub fn with_minimum_risk(mut self, risk: Option<Risk>) -> Self {
        self.hints.risk = risk.unwrap_or(self.hints.risk);
        self
    }

    /// Sets the files that the call would change, before and after.
    pub fn with_planned(mut self, planned: Vec<PlannedFile>) -> Self {
        self.planned = planned;
        self
    }

    /// Sets whether the conversation contains untrusted text.
    pub fn with_taint(mut self, tainted: bool) -> Self {
        self.tainted = tainted;
        self
    }

    /// Sets whether the arguments contain a known secret.
    pub fn with_secret(mut self, has_secret: bool) -> Self {
        self.has_secret = has_secret;
        self
    }

    /// Sets the autonomy of the run.
    pub fn with_autonomy(mut self, autonomy: Autonomy) -> Self {
        self.autonomy = autonomy;
        self
    }

    /// Sets the workspace and the time of the decision, in milliseconds since 1970.
    pub fn with_place(mut self, scope: impl Into<String>, now_ms: u64) -> Self {
        self.scope = scope.into();
        self.now_ms = now_ms;
        self
    }

    /// Removes the payload, for a record that stores the call separately.
    pub fn strip_payload(mut self) -> Self {
        self.payload = Payload::Function { arguments: Arguments::default() };
        self
    }

    /// Sets the payload, for facts that were read from such a record.
    pub fn with_payload(mut self, payload: Payload) -> Self {
        self.payload = payload;
        self
    }

    /// Returns the effects that are decided. A call without reported effects is decided as
    /// [`Effect::Unknown`], so that every rule for unknown effects applies.
    pub(crate) fn effects_or_unknown(&self) -> &[Effect] {
        if self.effects.is_empty() { &[Effect::Unknown] } else { &self.effects }
    }

    /// Returns whether a process of the call would be fully confined.
    pub(crate) fn is_confined(&self) -> bool {
        self.containment.as_ref().is_some_and(Containment::is_full)
    }

    /// Returns the risk of the call: the highest of its parts, and never below the minimum of its tool.
    pub fn risk(&self) -> Risk {
        self.risk_of_parts(&parts(self))
    }

    /// Returns the risk of the call with these parts.
    pub(crate) fn risk_of_parts(&self, parts: &[Part<'_>]) -> Risk {
        parts.iter().map(|part| risk_of(self, part)).max().unwrap_or(Risk::Low).max(self.hints.risk)
    }
}
