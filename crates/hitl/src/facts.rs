//! What is known about a call when it is judged.

use serde::{Deserialize, Serialize};
use windlass_protocol::{
    Arguments, Containment, Effect, Hints, Payload, PlannedFile, Risk, Target, ToolCall, ToolName,
};

use crate::RuleLink;
use crate::part::parts;
use crate::risk::risk_of;

/// How far a run goes without asking. It changes only what happens where no rule speaks (stage 8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mode {
    /// A human is asked.
    #[default]
    Ask,
    /// Nobody is there: what no rule allows is denied.
    Headless,
    /// Only what reads is let through; the rest is denied.
    ReadOnly,
    /// Changes of files inside the workspace need no yes.
    AutoEdit,
    /// Neither do commands that only read, where they are confined.
    Auto,
}

/// All that a decision rests on. Computed before, so that a decision can be made again from the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Facts {
    /// The tool's name in the registry, not an alias.
    pub tool: ToolName,
    /// What the tool says about itself.
    pub hints: Hints,
    /// What is handed to the tool.
    pub payload: Payload,
    /// What this call would do.
    pub effects: Vec<Effect>,
    /// How far the run goes without asking.
    pub mode: Mode,
    /// What the paths of the effects meet on the disk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Target>,
    /// The links that rules name and to where they lead: a rule about a link is about that place, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<RuleLink>,
    /// How a process of the call would be confined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment: Option<Containment>,
    /// The kind of the call where its effects do not say enough: grants and lessons are for calls of one kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_kind: Option<String>,
    /// The files that it would change, before and after, where that is all that it does. No decision rests on it: a record
    /// has it, so that after a crash the files say whether the call was done (RULES R6).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub planned: Vec<PlannedFile>,
    /// Whether text from outside has come into the conversation: what a stranger wrote may speak through the model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
    /// Whether the arguments hold a secret that is known here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_secret: bool,
    /// The workspace, as lessons are kept apart by it.
    #[serde(default)]
    pub scope: String,
    /// When it is judged, in milliseconds since 1970: decisions read no clock.
    #[serde(default)]
    pub now_ms: u64,
}

impl Facts {
    /// The facts of a call of a tool.
    pub fn new(tool: ToolName, hints: Hints, call: &ToolCall, effects: Vec<Effect>) -> Self {
        let payload = call.payload.clone();
        Self {
            tool,
            hints,
            payload,
            effects,
            mode: Mode::Ask,
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

    /// The same facts with what the call meets on the disk and how its processes would be confined.
    pub fn with_sight(mut self, targets: Vec<Target>, containment: Option<Containment>) -> Self {
        self.targets = targets;
        self.containment = containment;
        self
    }

    /// The same facts with the links that the policy's rules name, as
    /// [`Policy::resolve_links`](crate::Policy::resolve_links) finds them.
    pub fn with_links(mut self, links: Vec<RuleLink>) -> Self {
        self.links = links;
        self
    }

    /// The same facts with the kind of the call, as its tool states it.
    pub fn with_call_kind(mut self, kind: Option<String>) -> Self {
        self.call_kind = kind;
        self
    }

    /// The same facts with the files that the call would change, before and after.
    pub fn with_planned(mut self, planned: Vec<PlannedFile>) -> Self {
        self.planned = planned;
        self
    }

    /// The same facts in a conversation into which text from outside has come.
    pub fn with_taint(mut self, tainted: bool) -> Self {
        self.tainted = tainted;
        self
    }

    /// The same facts of arguments that hold a secret.
    pub fn with_secret(mut self, has_secret: bool) -> Self {
        self.has_secret = has_secret;
        self
    }

    /// The same facts in another mode.
    pub fn with_mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// The same facts in a workspace and at a time.
    pub fn with_place(mut self, scope: impl Into<String>, now_ms: u64) -> Self {
        self.scope = scope.into();
        self.now_ms = now_ms;
        self
    }

    /// The same facts without the payload, for a record that has the call beside it.
    pub fn without_payload(mut self) -> Self {
        self.payload = Payload::Function { arguments: Arguments::default() };
        self
    }

    /// The same facts with the payload of their call.
    pub fn with_payload(mut self, payload: Payload) -> Self {
        self.payload = payload;
        self
    }

    /// What is judged. A tool that names no effects has not said that it does nothing: it is judged as one that
    /// cannot say, so that every rule for it holds.
    pub(crate) fn judged(&self) -> &[Effect] {
        if self.effects.is_empty() { &[Effect::Unknown] } else { &self.effects }
    }

    /// Whether everything that a process of the call may do is confined.
    pub(crate) fn is_confined(&self) -> bool {
        self.containment.as_ref().is_some_and(Containment::is_full)
    }

    /// The risk of the call: the highest of its parts, and never below what the tool says.
    pub fn risk(&self) -> Risk {
        parts(self).iter().map(risk_of).max().unwrap_or(Risk::Low).max(self.hints.risk)
    }
}
