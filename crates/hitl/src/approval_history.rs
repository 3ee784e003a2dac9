//! Approvals that are learned from a person's earlier answers (RULES H9, SECURITY "Risk levels and
//! learning").

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use windlass_protocol::{Effect, Risk, ToolName};

use crate::grants::shape;
use crate::grants::wording::describe_shape;
use crate::{Autonomy, PolicyInput};

/// Lifetime of an entry after its last answer: 30 days, in milliseconds.
const LASTS_MS: u64 = 30 * 24 * 60 * 60 * 1000;
/// Number of approvals that activate an entry, at first and again after a denial.
const APPROVALS: u32 = 3;
/// Maximum number of stored entries. The least recently updated one is evicted.
const KEPT: usize = 4096;

/// Store of learned approvals: calls of a shape that a person approved often enough run without another
/// question.
///
/// Each answer of a person counts for exactly one key: the tool, the workspace and the shape of the call. An
/// entry becomes active after three approvals that are at least four fifths of all answers; a question
/// without an answer counts as an answer. A denial suspends an active entry until three more approvals. An
/// entry expires 30 days after its last answer, and all entries are dropped when the policy changes. Calls
/// of high risk are never learned.
///
/// The store is a plain value and does no I/O. The caller persists it with [`to_text`](Self::to_text) and
/// [`parse`](Self::parse).
///
/// ```
/// use windlass_hitl::{AskOutcome, PolicyInput, ApprovalHistory};
/// use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall, ToolName};
///
/// let call = ToolCall::function(CallId::new("call_1")?, ToolName::new("write_file")?, Arguments::default());
/// let effects = vec![Effect::Write { path: "docs/a.md".into(), bytes: None }];
/// let facts = PolicyInput::new(call.name.clone(), Hints::default(), &call, effects);
/// let mut history = ApprovalHistory::new("the policy's digest");
/// for _ in 0..3 {
///     assert!(history.find_active(&facts).is_none());
///     history.record(&facts, AskOutcome::Approved);
/// }
/// assert!(history.find_active(&facts).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalHistory {
    version: u32,
    /// Digest of the rules under which the entries were learned.
    epoch: String,
    #[serde(rename = "lessons")]
    entries: BTreeMap<String, RememberedApproval>,
}

/// End of a question, as far as learning needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a person allows, denies or does not answer")]
pub enum AskOutcome {
    /// A person approved the call.
    Approved,
    /// A person denied the call.
    Denied,
    /// The question timed out or was withdrawn.
    Unanswered,
}

/// Counts of the answers to questions about one key: a tool, a workspace and a shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RememberedApproval {
    /// The tool's name in the registry.
    pub tool: ToolName,
    /// The workspace in which the questions were asked.
    pub scope: String,
    /// The shape as text; [`describe`](Self::describe) returns it in words.
    pub shape: String,
    /// Number of approvals.
    pub approvals: u32,
    /// Number of questions, including denied and unanswered ones.
    pub total: u32,
    /// Number of approvals that are still missing after a denial of an active entry; 0 if the entry is not
    /// suspended.
    #[serde(default)]
    pub suspended: u32,
    /// Time of the last answer, in milliseconds since 1970.
    #[serde(rename = "heard_ms")]
    pub answered_ms: u64,
}

/// Error of parsing stored learned approvals. A caller can set the unreadable file aside and start with an
/// empty store: the person is then asked more often, never less.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApprovalHistoryError {
    /// The text is not valid JSON of this format.
    #[error("the stored learned approvals cannot be read")]
    Json(#[from] serde_json::Error),
    /// The store has a version that this program does not read.
    #[error(
        "the stored learned approvals have version {version}, this program reads {}",
        ApprovalHistory::VERSION
    )]
    Version {
        /// The store's version.
        version: u32,
    },
    /// An entry counts more approvals than answers.
    #[error("learned approval {id} has more approvals than answers")]
    Contradiction {
        /// The entry's id.
        id: String,
    },
}

impl ApprovalHistory {
    /// The version of the stored format.
    pub const VERSION: u32 = 1;

    /// Creates an empty store. `epoch` is a digest of the policy ([`Policy::epoch`](crate::Policy::epoch)):
    /// entries of another policy do not count.
    pub fn new(epoch: impl Into<String>) -> Self {
        Self { version: Self::VERSION, epoch: epoch.into(), entries: BTreeMap::new() }
    }

    /// Parses a store. If it was written under another epoch, the result is empty.
    ///
    /// # Errors
    /// If the text is not a store of this version, or an entry counts more approvals than answers.
    pub fn parse(text: &str, epoch: &str) -> Result<Self, ApprovalHistoryError> {
        let stored: Self = serde_json::from_str(text)?;
        if stored.version != Self::VERSION {
            return Err(ApprovalHistoryError::Version { version: stored.version });
        }
        if let Some((id, _)) = stored.entries.iter().find(|(_, entry)| entry.approvals > entry.total) {
            return Err(ApprovalHistoryError::Contradiction { id: id.clone() });
        }
        if stored.epoch != epoch {
            return Ok(Self::new(epoch));
        }
        Ok(stored)
    }

    /// Serializes the store as JSON.
    ///
    /// # Errors
    /// If the serialization fails.
    pub fn to_text(&self) -> Result<String, ApprovalHistoryError> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// Records the end of a question about a call, at the time of the facts. Commands, and calls of high or critical
    /// risk, are ignored.
    pub fn record(&mut self, facts: &PolicyInput, answer: AskOutcome) {
        if !is_learnable(facts) {
            return;
        }
        let id = id(facts);
        self.make_room(&id);
        let entry = self.entries.entry(id).or_insert_with(|| RememberedApproval::new(facts));
        if entry.is_over(facts.now_ms) {
            *entry = RememberedApproval::new(facts);
        }
        entry.record(answer, facts.now_ms);
    }

    /// Returns the id of the active entry that covers a call, or `None`. Entries count only with
    /// [`Autonomy::Ask`].
    pub fn find_active(&self, facts: &PolicyInput) -> Option<String> {
        // Without a human who could deny the call, an entry is not an approval (SECURITY: not in headless
        // runs).
        if !is_learnable(facts) || facts.autonomy != Autonomy::Ask {
            return None;
        }
        let id = id(facts);
        let entry = self.entries.get(&id)?;
        entry.is_active(facts.now_ms).then_some(id)
    }

    /// Returns all entries with their ids.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &RememberedApproval)> {
        self.entries.iter().map(|(id, entry)| (id.as_str(), entry))
    }

    /// Removes an entry. Returns whether it existed.
    pub fn revoke(&mut self, id: &str) -> bool {
        self.entries.remove(id).is_some()
    }

    fn make_room(&mut self, id: &str) {
        if self.entries.len() < KEPT || self.entries.contains_key(id) {
            return;
        }
        let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.answered_ms).map(|(id, _)| id.clone());
        if let Some(oldest) = oldest {
            self.entries.remove(&oldest);
        }
    }
}

impl RememberedApproval {
    fn new(facts: &PolicyInput) -> Self {
        Self {
            tool: facts.tool.clone(),
            scope: facts.scope.clone(),
            shape: shape(facts).join("; ").replace('\0', " "),
            approvals: 0,
            total: 0,
            suspended: 0,
            answered_ms: facts.now_ms,
        }
    }

    fn record(&mut self, answer: AskOutcome, now_ms: u64) {
        let was_active = self.is_active(now_ms) || self.suspended > 0;
        self.total = self.total.saturating_add(1);
        self.answered_ms = self.answered_ms.max(now_ms);
        match answer {
            AskOutcome::Approved => {
                self.approvals = self.approvals.saturating_add(1);
                self.suspended = self.suspended.saturating_sub(1);
            }
            AskOutcome::Denied if was_active => self.suspended = APPROVALS,
            AskOutcome::Denied | AskOutcome::Unanswered => {}
        }
    }

    /// Describes the calls as a person would, for example `write files that end in .md in docs/ with write_file`. The
    /// words are those of [`ApprovalRequest::scope`](crate::ApprovalRequest::scope). They can contain names from
    /// outside; escape them before they reach a terminal.
    pub fn describe(&self) -> String {
        describe_shape(self.tool.as_str(), &self.shape)
    }

    /// Returns whether calls of this key run without a question at a time, in milliseconds since 1970.
    pub fn is_active(&self, now_ms: u64) -> bool {
        self.suspended == 0
            && self.approvals >= APPROVALS
            // Four fifths in integers, the boundary included.
            && u64::from(self.approvals).saturating_mul(5) >= u64::from(self.total).saturating_mul(4)
            && !self.is_over(now_ms)
    }

    /// Returns whether the entry has expired. An entry with a time in the future counts as expired: the
    /// clock was wrong when it was learned, so its age is unknown.
    pub fn is_over(&self, now_ms: u64) -> bool {
        now_ms.checked_sub(self.answered_ms).is_none_or(|age| age > LASTS_MS)
    }
}

/// Returns the id of a key: the first 8 bytes of a SHA-256 in hexadecimal, short enough to type and stable
/// across processes.
fn id(facts: &PolicyInput) -> String {
    let mut hash = Sha256::new();
    let shape = shape(facts);
    for text in
        [facts.tool.as_str(), facts.scope.as_str()].into_iter().chain(shape.iter().map(String::as_str))
    {
        hash.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().iter().take(8).fold(String::new(), |id, byte| format!("{id}{byte:02x}"))
}

/// Returns whether answers about a call may become a standing permission. The shape of a command is weak evidence of
/// its effects, so no command is learned, whatever its risk.
fn is_learnable(facts: &PolicyInput) -> bool {
    let runs = |effect: &Effect| matches!(effect, Effect::Execute { .. });
    facts.risk() <= Risk::Medium && !facts.effects.iter().any(runs)
}
