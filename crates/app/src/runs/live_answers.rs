//! Answers from other processes to the questions of a run that works.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use windlass_agent::{Approver, ApproverFuture};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_tool::{AnswerFuture, Human, Question};

use super::RunFolder;
use super::answers::{StoredAnswer, read_answer, words_name};
use crate::feed::{AnswerWindows, GuidanceSlot};

/// Interval at which an open question looks for a stored answer.
const INTERVAL: Duration = Duration::from_millis(250);

/// An approver that asks another approver, and at the same time waits for an answer that another process stores for the
/// run. The first answer counts, and the other approver's question is withdrawn. A stored answer counts only for the
/// content that was shown with it (RULES H4).
pub(crate) struct LiveAnswers {
    inner: Arc<dyn Approver>,
    folder: RunFolder,
    windows: AnswerWindows,
}

impl LiveAnswers {
    pub(crate) fn new(inner: Arc<dyn Approver>, folder: &RunFolder, windows: &AnswerWindows) -> Self {
        Self { inner, folder: folder.clone(), windows: windows.clone() }
    }

    /// Waits for a stored answer to a request. Cancel-safe.
    async fn wait(&self, request: &ApprovalRequest) -> ApprovalDecision {
        loop {
            let stored = wait_for_answer(&self.folder, &request.request_id).await;
            if let StoredAnswer::Approval { decision, shown, by } = stored
                && shown == request.digest
                && decision.request_id == request.request_id
            {
                if let Some(window) = by {
                    self.windows.set(&decision.request_id, window);
                }
                return decision;
            }
        }
    }
}

impl Approver for LiveAnswers {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            tokio::select! {
                biased;
                decision = self.inner.decide(request) => decision,
                decision = self.wait(request) => Some(decision),
            }
        })
    }
}

/// A human whose question about how the run continues can also be answered in other processes.
pub(crate) struct LiveGuidance {
    inner: Arc<dyn Human>,
    guidance: GuidanceSlot,
    folder: RunFolder,
    windows: AnswerWindows,
}

impl LiveGuidance {
    pub(crate) fn new(
        inner: Arc<dyn Human>,
        guidance: GuidanceSlot,
        folder: &RunFolder,
        windows: &AnswerWindows,
    ) -> Self {
        Self { inner, guidance, folder: folder.clone(), windows: windows.clone() }
    }
}

impl Human for LiveGuidance {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        let Some(id) = self.guidance.find(&question.text) else { return self.inner.answer(question) };
        Box::pin(async move {
            tokio::select! {
                biased;
                words = self.inner.answer(question) => words,
                (words, window) = wait_for_words(&self.folder, &id) => {
                    if let Some(window) = window {
                        self.windows.set(&id, window);
                    }
                    Ok(words)
                }
            }
        })
    }
}

/// Waits for stored words to a question of the feed. Returns them with the window of the answer. Cancel-safe.
pub(crate) async fn wait_for_words(folder: &RunFolder, question: &str) -> (String, Option<String>) {
    loop {
        if let StoredAnswer::Words { words, by, .. } = wait_for_answer(folder, &words_name(question)).await {
            return (words, by);
        }
    }
}

/// Waits for a stored answer with a name. Cancel-safe.
async fn wait_for_answer(folder: &RunFolder, name: &str) -> StoredAnswer {
    loop {
        tokio::time::sleep(INTERVAL).await;
        let (folder, name) = (folder.clone(), name.to_owned());
        // A store that fails now can answer later, and the person here can answer in any case.
        let stored = tokio::task::spawn_blocking(move || read_answer(&folder, &name)).await;
        if let Ok(Ok(Some(answer))) = stored {
            return answer;
        }
    }
}

impl fmt::Debug for LiveAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveAnswers").field("run", &self.folder.id).finish_non_exhaustive()
    }
}

impl fmt::Debug for LiveGuidance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveGuidance").field("run", &self.folder.id).finish_non_exhaustive()
    }
}
