//! Approval requests and their answers.

mod deletions;
mod earlier;
mod edit;

use serde::{Deserialize, Serialize};
use windlass_protocol::{Arguments, Change, Containment, Effect, Risk, Target, ToolCall, ToolName};

use crate::grants::wording::describe_calls;
use crate::{Decision, Digest, PolicyInput, Reason, Review};

/// Question to a human whether a call may run.
///
/// It has everything that the human needs for the answer: the whole call, its effects and targets, the
/// changes of files, the confinement and the rule that asks. The displayed content is the content that the
/// digest covers and that runs (RULES H14). [`describe`](Self::describe) formats it for a terminal, and an
/// [`ApprovalDecision`] with the same `request_id` answers it.
///
/// ```
/// use windlass_hitl::{ApprovalDecision, ApprovalRequest, Risk};
///
/// fn answer(request: &ApprovalRequest) -> ApprovalDecision {
///     println!("{} because of {}", request.tool, request.reason.text);
///     match request.risk {
///         Risk::Low => ApprovalDecision::approve(&request.request_id),
///         _ => ApprovalDecision::deny(&request.request_id, Some("ask me tomorrow".to_owned())),
///     }
/// }
/// # let _ = answer;
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The engine's own id of the question. The provider's call id is only a label.
    pub request_id: String,
    /// The names of the asking agents, from the root down to the agent that made the call; empty for the root
    /// itself (RULES H13).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// The tool's name in the registry.
    pub tool: ToolName,
    /// The complete call.
    pub call: ToolCall,
    /// The effects that the call would have.
    pub effects: Vec<Effect>,
    /// The files that the paths of the effects lead to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Target>,
    /// The changes of files, as diffs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// The confinement of the call's processes; `None` for a call that starts none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment: Option<Containment>,
    /// The risk of the call.
    pub risk: Risk,
    /// The rule that asks, with an explanation.
    pub reason: Reason,
    /// The digest that binds an approval to this call.
    pub digest: Digest,
    /// True if an approval can be remembered for the session.
    pub can_remember: bool,
    /// A description of the calls that a remembered approval would cover; empty if it cannot be remembered.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
}

/// Answer of a human to an approval request: an approval or a denial, with an optional comment for the model.
///
/// An approval is valid for the one call of the question, unless [`with_remember`](Self::with_remember) extends it to
/// similar calls of the session. [`with_arguments`](Self::with_arguments) approves the call with other arguments.
///
/// ```
/// use windlass_hitl::ApprovalDecision;
///
/// let once = ApprovalDecision::approve("approval-1");
/// assert!(once.approved && !once.remember);
/// let denied = ApprovalDecision::deny("approval-2", Some("use the test database".to_owned()));
/// assert_eq!(denied.reason.as_deref(), Some("use the test database"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalDecision {
    /// The id of the answered question.
    pub request_id: String,
    /// True for an approval, false for a denial.
    pub approved: bool,
    /// A comment. The model gets it in the result of the call (RULES R2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// True if calls of the same shape need no further question in this session.
    #[serde(default)]
    pub remember: bool,
    /// True if the human wants no further question for calls of the same shape, in any session. The agent
    /// currently treats it like [`remember`](Self::remember).
    #[serde(default)]
    pub always_allow: bool,
    /// Changed arguments, with which an approved call runs instead of its own. The engine checks the changed
    /// call like a call of the model: a change never lifts a denial, and the human is asked again if the
    /// changed call is not covered by the answer ([`ApprovalRequest::covers_edit`]). An approval with changed
    /// arguments counts once and is never remembered. In JSON they are an object, or the text of one.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "edit::read_arguments")]
    pub arguments: Option<Arguments>,
    /// The review of the request by a model. A decision that a model made is never remembered and never
    /// learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
}

/// End of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ApprovalOutcome {
    /// The human answered.
    Answered(ApprovalDecision),
    /// The question timed out (RULES H12).
    TimedOut {
        /// The id of the question.
        request_id: String,
    },
    /// The run has no approver. This is neither a denial nor a timeout (RULES H12).
    NoApprover {
        /// The id of the question.
        request_id: String,
    },
}

impl ApprovalRequest {
    /// Creates the question for a call that was decided with [`Verdict::Ask`](crate::Verdict::Ask).
    pub fn new(
        request_id: impl Into<String>,
        call: ToolCall,
        facts: &PolicyInput,
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
            scope: if can_remember { describe_calls(facts) } else { String::new() },
        }
    }

    /// Sets the changes of files, as diffs.
    pub fn with_changes(mut self, changes: Vec<Change>) -> Self {
        self.changes = changes;
        self
    }

    /// Sets the names of the asking agents, from the root down.
    pub fn with_agents(mut self, agents: Vec<String>) -> Self {
        self.agents = agents;
        self
    }
}

impl ApprovalDecision {
    /// Creates an approval for this one call.
    pub fn approve(request_id: impl Into<String>) -> Self {
        Self {
            request_id: request_id.into(),
            approved: true,
            reason: None,
            remember: false,
            always_allow: false,
            arguments: None,
            review: None,
        }
    }

    /// Creates a denial, with a comment for the model.
    pub fn deny(request_id: impl Into<String>, reason: Option<String>) -> Self {
        Self { approved: false, reason, ..Self::approve(request_id) }
    }

    /// Extends the answer to calls of the same shape in this session.
    pub fn with_remember(mut self) -> Self {
        self.remember = true;
        self
    }

    /// Changes the arguments of the approved call.
    ///
    /// ```
    /// use windlass_hitl::ApprovalDecision;
    /// use windlass_protocol::Arguments;
    ///
    /// let arguments = Arguments::parse(r#"{"to": "test@example.com"}"#)?;
    /// let decision = ApprovalDecision::approve("approval-1").with_arguments(arguments);
    /// assert!(decision.approved);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_arguments(mut self, arguments: Arguments) -> Self {
        self.arguments = Some(arguments);
        self
    }

    /// Sets the review of the request by a model.
    pub fn with_review(mut self, review: Review) -> Self {
        self.review = Some(review);
        self
    }

    /// Returns true if a model decided instead of the human.
    pub fn is_by_model(&self) -> bool {
        self.review.as_ref().is_some_and(|review| review.decided)
    }

    /// Returns the changed arguments of an approval; `None` for a denial.
    pub fn edit(&self) -> Option<&Arguments> {
        self.arguments.as_ref().filter(|_| self.approved)
    }
}

impl ApprovalOutcome {
    /// Returns the id of the question that ended.
    pub fn request_id(&self) -> &str {
        match self {
            Self::Answered(decision) => &decision.request_id,
            Self::TimedOut { request_id } | Self::NoApprover { request_id } => request_id,
        }
    }
}
