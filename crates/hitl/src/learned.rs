//! What a person's answers have taught (RULES H9, SECURITY "Risk levels and learning").

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use windlass_protocol::{Risk, ToolName};

use crate::grants::shape;
use crate::{Facts, Mode};

/// How long a lesson holds: 30 days, in milliseconds.
const LASTS_MS: u64 = 30 * 24 * 60 * 60 * 1000;
/// How many approvals a lesson takes, at the beginning and after a denial.
const APPROVALS: u32 = 3;
/// The most lessons that are kept; the one that was heard of longest ago gives way.
const KEPT: usize = 4096;

/// What a person's answers to questions have taught: calls of a shape that was approved often enough run without
/// another question.
///
/// Only answers of a person count, each to exactly its key: the tool, the workspace and the shape of the call. It takes
/// three approvals, and four in five of all answers; a question that nobody answered counts as one. A denial suspends a
/// lesson until three more approvals, and every lesson ends after 30 days or when the policy changes. What is of high
/// risk is never learned. Values only: whoever keeps it on a disk is somebody else.
///
/// ```
/// use windlass_hitl::{Answer, Facts, Learned};
/// use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall, ToolName};
///
/// let call = ToolCall::function(CallId::new("call_1")?, ToolName::new("write_file")?, Arguments::default());
/// let effects = vec![Effect::Write { path: "docs/a.md".into(), bytes: None }];
/// let facts = Facts::new(call.name.clone(), Hints::default(), &call, effects);
/// let mut learned = Learned::new("the policy's digest");
/// for _ in 0..3 {
///     assert!(learned.covers(&facts).is_none());
///     learned.hear(&facts, Answer::Approved);
/// }
/// assert!(learned.covers(&facts).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learned {
    version: u32,
    /// What of the policy the lessons rest on: a digest of its rules.
    epoch: String,
    lessons: BTreeMap<String, Lesson>,
}

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a person says yes, no or nothing")]
pub enum Answer {
    /// A person said yes.
    Approved,
    /// A person said no.
    Denied,
    /// Nobody answered in time, or the question was taken back.
    Unanswered,
}

/// What was heard about calls of one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Lesson {
    /// The tool.
    pub tool: ToolName,
    /// The workspace.
    pub scope: String,
    /// The shape of the calls, in words.
    pub shape: String,
    /// How often a person said yes.
    pub approvals: u32,
    /// How often the question was put.
    pub total: u32,
    /// After a denial of an active lesson: how many approvals are still to come.
    #[serde(default)]
    pub suspended: u32,
    /// When it was last heard of, in milliseconds since 1970.
    pub heard_ms: u64,
}

/// Why a store of lessons cannot be read. Whoever reads it keeps the file aside and begins anew: that asks more, never
/// less.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnedError {
    /// It is no such store.
    #[error("what was learned cannot be read")]
    Json(#[from] serde_json::Error),
    /// It is of a later version of this program.
    #[error("what was learned has version {version}, this program reads {}", Learned::VERSION)]
    Version {
        /// The store's version.
        version: u32,
    },
    /// A lesson counts more approvals than answers.
    #[error("lesson {id} contradicts itself")]
    Contradiction {
        /// Which one.
        id: String,
    },
}

impl Learned {
    /// The version of this vocabulary.
    pub const VERSION: u32 = 1;

    /// Nothing is learned yet. `epoch` is a digest of the policy: lessons of another policy do not count.
    pub fn new(epoch: impl Into<String>) -> Self {
        Self { version: Self::VERSION, epoch: epoch.into(), lessons: BTreeMap::new() }
    }

    /// Reads a store. Lessons of another epoch are left out.
    ///
    /// # Errors
    /// If the text is no store of this version, or contradicts itself.
    pub fn parse(text: &str, epoch: &str) -> Result<Self, LearnedError> {
        let stored: Self = serde_json::from_str(text)?;
        if stored.version != Self::VERSION {
            return Err(LearnedError::Version { version: stored.version });
        }
        if let Some((id, _)) = stored.lessons.iter().find(|(_, lesson)| lesson.approvals > lesson.total) {
            return Err(LearnedError::Contradiction { id: id.clone() });
        }
        if stored.epoch != epoch {
            return Ok(Self::new(epoch));
        }
        Ok(stored)
    }

    /// The store as text.
    ///
    /// # Errors
    /// If it does not become JSON.
    pub fn to_text(&self) -> Result<String, LearnedError> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// Hears how a question about a call ended, at the facts' time. What is of high risk is not learned.
    pub fn hear(&mut self, facts: &Facts, answer: Answer) {
        if facts.risk() > Risk::Medium {
            return;
        }
        let id = id(facts);
        self.make_room(&id);
        let lesson = self.lessons.entry(id).or_insert_with(|| Lesson::new(facts));
        if lesson.is_over(facts.now_ms) {
            *lesson = Lesson::new(facts);
        }
        lesson.hear(answer, facts.now_ms);
    }

    /// The id of the lesson by which a call may run, if there is one.
    pub fn covers(&self, facts: &Facts) -> Option<String> {
        // Nobody is there to say no, so a lesson is no yes (SECURITY: not in headless runs).
        if facts.risk() > Risk::Medium || facts.mode != Mode::Ask {
            return None;
        }
        let id = id(facts);
        let lesson = self.lessons.get(&id)?;
        lesson.is_active(facts.now_ms).then_some(id)
    }

    /// All lessons by their ids.
    pub fn lessons(&self) -> impl Iterator<Item = (&str, &Lesson)> {
        self.lessons.iter().map(|(id, lesson)| (id.as_str(), lesson))
    }

    /// Forgets a lesson, and says whether there was one.
    pub fn revoke(&mut self, id: &str) -> bool {
        self.lessons.remove(id).is_some()
    }

    fn make_room(&mut self, id: &str) {
        if self.lessons.len() < KEPT || self.lessons.contains_key(id) {
            return;
        }
        let oldest = self.lessons.iter().min_by_key(|(_, lesson)| lesson.heard_ms).map(|(id, _)| id.clone());
        if let Some(oldest) = oldest {
            self.lessons.remove(&oldest);
        }
    }
}

impl Lesson {
    fn new(facts: &Facts) -> Self {
        Self {
            tool: facts.tool.clone(),
            scope: facts.scope.clone(),
            shape: shape(facts).join("; ").replace('\0', " "),
            approvals: 0,
            total: 0,
            suspended: 0,
            heard_ms: facts.now_ms,
        }
    }

    fn hear(&mut self, answer: Answer, now_ms: u64) {
        let was_active = self.is_active(now_ms) || self.suspended > 0;
        self.total = self.total.saturating_add(1);
        self.heard_ms = self.heard_ms.max(now_ms);
        match answer {
            Answer::Approved => {
                self.approvals = self.approvals.saturating_add(1);
                self.suspended = self.suspended.saturating_sub(1);
            }
            Answer::Denied if was_active => self.suspended = APPROVALS,
            Answer::Denied | Answer::Unanswered => {}
        }
    }

    /// Whether calls of this key run without a question.
    pub fn is_active(&self, now_ms: u64) -> bool {
        self.suspended == 0
            && self.approvals >= APPROVALS
            // Integers: four in five, the boundary included.
            && u64::from(self.approvals).saturating_mul(5) >= u64::from(self.total).saturating_mul(4)
            && !self.is_over(now_ms)
    }

    /// Whether it was heard of too long ago, or at a time that has not come yet: the clock was wrong then, and how old
    /// the lesson is cannot be known.
    pub fn is_over(&self, now_ms: u64) -> bool {
        now_ms.checked_sub(self.heard_ms).is_none_or(|age| age > LASTS_MS)
    }
}

/// The name of a key: short enough to be typed, and the same in every process.
fn id(facts: &Facts) -> String {
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
