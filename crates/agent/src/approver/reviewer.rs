//! An approver that lets a model answer the questions of low risk.

mod prompt;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use windlass_hitl::{ApprovalDecision, ApprovalRequest, Review, Risk};
use windlass_protocol::{Effect, Request, Usage};
use windlass_stream::{Chunk, Model};

use self::prompt::{Opinion, Verdict, read, request};
use crate::{Approver, ApproverFuture};

/// The time that a review may take.
const REVIEW_TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum length of a model's opinion in bytes.
const OPINION_BYTES: usize = 16 * 1024;

/// The kinds of effects that the model may decide about by default.
const EFFECTS: [&str; 3] = ["internal", "read", "write"];

/// An approver that asks a model about calls of low risk, and a human about all others.
///
/// The model decides only about a question that all of these hold for: no rule demands a human (only the default of the
/// autonomy asks), the risk is at most [`max_risk`](Self::with_max_risk), and every effect is of a
/// [listed kind](Self::with_effects). Every other question, and every question on which the model has no clear
/// opinion, fails or takes longer than 30 seconds, goes to the human approver.
///
/// The arguments of a call can contain instructions of a stranger. The request to the model marks them as
/// untrusted data between random markers, and an opinion counts only if it repeats a number that the
/// arguments cannot know. This reduces the danger of prompt injection and does not remove it, so keep the risk low.
///
/// The decision has a [`Review`] with the model's name, its reason and its tokens, which the run counts with the prices of its own
/// model. It is part of the record, and never remembered or learned.
///
/// ```
/// use windlass_agent::{DenyAll, ModelReviewer};
/// use windlass_stream::Model;
///
/// fn reviewer(model: impl Model + 'static) -> ModelReviewer {
///     ModelReviewer::new(model, "small-1", DenyAll)
/// }
/// ```
#[derive(Clone)]
pub struct ModelReviewer {
    model: Arc<dyn Model>,
    name: String,
    human: Arc<dyn Approver>,
    max_risk: Risk,
    effects: BTreeSet<String>,
    timeout: Duration,
    usage: Arc<Mutex<Usage>>,
}

impl ModelReviewer {
    /// Creates an approver that asks a model, by the name under which its provider knows it, and otherwise the
    /// human.
    pub fn new(model: impl Model + 'static, name: impl Into<String>, human: impl Approver + 'static) -> Self {
        Self {
            model: Arc::new(model),
            name: name.into(),
            human: Arc::new(human),
            max_risk: Risk::Low,
            effects: EFFECTS.map(str::to_owned).into(),
            timeout: REVIEW_TIMEOUT,
            usage: Arc::default(),
        }
    }

    /// Sets the highest risk about which the model may decide. It is low by default, and never above medium.
    pub fn with_max_risk(mut self, risk: Risk) -> Self {
        self.max_risk = risk.min(Risk::Medium);
        self
    }

    /// Sets the kinds of effects ([`Effect::kind`]) about which the model may decide. The default is internal effects,
    /// reading and writing.
    pub fn with_effects(mut self, kinds: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.effects = kinds.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the time that a review may take.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Returns the tokens of all reviews.
    pub fn usage(&self) -> Usage {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if the model may decide about the call.
    pub fn may_decide(&self, request: &ApprovalRequest) -> bool {
        request.can_remember
            && request.risk <= self.max_risk
            && !request.effects.is_empty()
            && request
                .effects
                .iter()
                .all(|effect| !matches!(effect, Effect::Unknown) && self.effects.contains(effect.kind()))
    }

    async fn answer(&self, asked: &ApprovalRequest) -> Option<ApprovalDecision> {
        if !self.may_decide(asked) {
            return self.human.decide(asked).await;
        }
        let mut usage = Usage::default();
        let opinion = tokio::time::timeout(self.timeout, self.review(asked, &mut usage)).await.ok().flatten();
        self.usage.lock().unwrap_or_else(PoisonError::into_inner).add(&usage);
        let id = asked.request_id.as_str();
        let (decision, reason) = match opinion {
            Some(Opinion { verdict: Verdict::Approve, reason }) => (ApprovalDecision::approve(id), reason),
            Some(Opinion { verdict: Verdict::Deny, reason }) => {
                (ApprovalDecision::deny(id, Some(reason.clone())), reason)
            }
            other => {
                let reason = other.map(|opinion| opinion.reason).unwrap_or_default();
                let review = Review::new(self.name.as_str(), false, reason, usage);
                return Some(self.human.decide(asked).await?.with_review(review));
            }
        };
        Some(decision.with_review(Review::new(self.name.as_str(), true, reason, usage)))
    }

    /// Requests the opinion of the model. `None` if it has none.
    async fn review(&self, asked: &ApprovalRequest, usage: &mut Usage) -> Option<Opinion> {
        let (request, number) = request(&self.name, asked)?;
        let text = self.collect(&request, usage).await?;
        read(&text, &number)
    }

    async fn collect(&self, request: &Request, usage: &mut Usage) -> Option<String> {
        let mut chunks = self.model.stream(request).await.ok()?;
        let (mut text, mut is_complete) = (String::new(), false);
        while let Some(chunk) = chunks.next().await {
            match chunk.ok()? {
                Chunk::Text { text: more } => text.push_str(&more),
                Chunk::Usage { usage: newest } => *usage = newest,
                Chunk::Finish { reason, .. } => is_complete = reason == windlass_protocol::StopReason::End,
                Chunk::Error { .. } => return None,
                _ => {}
            }
            if text.len() > OPINION_BYTES {
                return None;
            }
        }
        is_complete.then_some(text)
    }
}

impl Approver for ModelReviewer {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(self.answer(request))
    }
}

impl std::fmt::Debug for ModelReviewer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelReviewer")
            .field("model", &self.name)
            .field("max_risk", &self.max_risk)
            .field("effects", &self.effects)
            .finish_non_exhaustive()
    }
}
