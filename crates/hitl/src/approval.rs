//! A question whether a call may run, and its answer.

use serde::{Deserialize, Serialize};
use windlass_protocol::{Change, Containment, Effect, Risk, Target, ToolCall, ToolName};

use crate::grants::scope_words;
use crate::{Decision, Digest, Facts, Reason};

/// A question to the human whether a call may run. What it shows is what is hashed and what runs (RULES H14).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The engine's own id; the provider's call id is only a label.
    pub request_id: String,
    /// Who asks: the agents from the root down to the one that made the call; empty for the root itself (RULES H13).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// The tool's name in the registry.
    pub tool: ToolName,
    /// The call, whole.
    pub call: ToolCall,
    /// What it would do.
    pub effects: Vec<Effect>,
    /// What the paths of its effects meet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Target>,
    /// What it would change in files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// How its processes would be confined; nothing for a call that starts none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment: Option<Containment>,
    /// How much harm it could do.
    pub risk: Risk,
    /// Which rule asks, and why.
    pub reason: Reason,
    /// What an approval is bound to.
    pub digest: Digest,
    /// Whether the answer can be remembered for the session.
    pub can_remember: bool,
    /// The calls for which a remembered answer would stand, in words; empty where it cannot be remembered.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
}

/// The human's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalDecision {
    /// Which question is answered.
    pub request_id: String,
    /// Yes or no.
    pub approved: bool,
    /// A comment; the model gets it in the call's own result (RULES R2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether calls of the same shape need no further question in this session.
    #[serde(default)]
    pub remember: bool,
    /// Whether calls of the same shape need no further question ever.
    #[serde(default)]
    pub always_allow: bool,
}

/// How a question ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ApprovalOutcome {
    /// The human answered.
    Answered(ApprovalDecision),
    /// Nobody answered in time (RULES H12).
    TimedOut {
        /// Which question.
        request_id: String,
    },
    /// Nobody is there to answer, which is a third thing (RULES H12).
    NoApprover {
        /// Which question.
        request_id: String,
    },
}

impl ApprovalRequest {
    /// The question that a decision to ask leads to.
    pub fn new(
        request_id: impl Into<String>,
        call: ToolCall,
        facts: &Facts,
        decision: &Decision,
        digest: Digest,
    ) -> Self {
        let can_remember = decision.can_remember();
        Self {
            request_id: request_id.into(),
            agents: Vec::new(),
            tool: facts.tool.clone(),
            call,
            effects: facts.effects.clone(),
            targets: facts.targets.clone(),
            changes: Vec::new(),
            containment: facts.containment.clone(),
            risk: decision.risk,
            reason: decision.reason.clone(),
            digest,
            can_remember,
            scope: if can_remember { scope_words(facts) } else { String::new() },
        }
    }

    /// The same question with what the call would change in files.
    pub fn with_changes(mut self, changes: Vec<Change>) -> Self {
        self.changes = changes;
        self
    }

    /// The same question of an agent that works for others, from the root down.
    pub fn with_agents(mut self, agents: Vec<String>) -> Self {
        self.agents = agents;
        self
    }
}

impl ApprovalDecision {
    /// Yes, once.
    pub fn approve(request_id: impl Into<String>) -> Self {
        Self {
            request_id: request_id.into(),
            approved: true,
            reason: None,
            remember: false,
            always_allow: false,
        }
    }

    /// No, and why.
    pub fn deny(request_id: impl Into<String>, reason: Option<String>) -> Self {
        Self { approved: false, reason, ..Self::approve(request_id) }
    }

    /// The same answer for the rest of the session.
    pub fn with_remember(mut self) -> Self {
        self.remember = true;
        self
    }
}

impl ApprovalOutcome {
    /// Which question ended.
    pub fn request_id(&self) -> &str {
        match self {
            Self::Answered(decision) => &decision.request_id,
            Self::TimedOut { request_id } | Self::NoApprover { request_id } => request_id,
        }
    }
}
