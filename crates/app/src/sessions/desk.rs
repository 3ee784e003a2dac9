//! The open questions of a working run, which every window can answer.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot};
use windlass_agent::{Approver, ApproverFuture};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_tool::{AnswerFuture, Human, NoAnswer, Question as ToolQuestion};

use super::answer::{Answer, AnswerError, OpenQuestion, Reply};
use crate::feed::{AnswerWindows, FeedKind, GuidanceSlot, Question, QuestionEnd, call_card};

/// Desk of a working run: it keeps the open questions, and the first answer to a question counts. Clones share it.
#[derive(Clone)]
pub(crate) struct Desk {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Questions and answers that no record of the run contains, for the feed.
    notes: mpsc::UnboundedSender<FeedKind>,
    asked: AtomicU64,
    guidance: GuidanceSlot,
    windows: AnswerWindows,
}

#[derive(Default)]
struct State {
    open: BTreeMap<String, Open>,
    /// The windows that answered, by question.
    answered: BTreeMap<String, String>,
    /// Number of waits for an answer until now.
    waits: u64,
}

/// Open question. The feed can publish it before the run waits for the answer, so an answer can come first.
struct Open {
    question: OpenQuestion,
    /// The question as the run asks it, about a call.
    request: Option<Box<ApprovalRequest>>,
    waiting: Option<(u64, oneshot::Sender<Reply>)>,
    early: Option<Reply>,
}

/// Removes a question from the desk when the run does not wait for it any more.
struct WaitGuard<'a> {
    desk: &'a Desk,
    id: &'a str,
    wait: u64,
}

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.desk.lock();
        // After the answer, another question may have the same id.
        let is_same = state.open.get(self.id).and_then(|open| open.waiting.as_ref());
        if is_same.is_some_and(|(wait, _)| *wait == self.wait) {
            state.open.remove(self.id);
        }
    }
}

impl Desk {
    /// Creates the desk and the receiver of notes for the feed.
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<FeedKind>) {
        let (notes, receiver) = mpsc::unbounded_channel();
        let shared = Shared {
            state: Mutex::default(),
            notes,
            asked: AtomicU64::new(0),
            guidance: GuidanceSlot::default(),
            windows: AnswerWindows::default(),
        };
        (Self { shared: Arc::new(shared) }, receiver)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the open questions.
    pub(crate) fn questions(&self) -> Vec<OpenQuestion> {
        self.lock().open.values().map(|open| open.question.clone()).collect()
    }

    /// Returns true if a question is open and has no answer.
    pub(crate) fn has_question(&self, question: &str) -> bool {
        self.lock().open.get(question).is_some_and(|open| open.early.is_none())
    }

    /// Returns an open question about a call, if the run waits for its answer.
    pub(crate) fn request(&self, question: &str) -> Option<ApprovalRequest> {
        self.lock().open.get(question).and_then(|open| open.request.as_deref().cloned())
    }

    /// Gives an answer to an open question. The first answer counts.
    pub(crate) fn answer(&self, question: &str, answer: Answer, by: &str) -> Result<(), AnswerError> {
        let mut state = self.lock();
        let Some(open) = state.open.get(question).filter(|open| open.early.is_none()) else {
            return Err(match state.answered.get(question) {
                Some(by) => AnswerError::AlreadyAnswered { by: Some(by.clone()) },
                None => AnswerError::NotOpen { question: question.to_owned() },
            });
        };
        let reply = answer.reply_to(&open.question)?;
        if !matches!(reply, Reply::Later) {
            state.answered.insert(question.to_owned(), by.to_owned());
            self.shared.windows.set(question, by);
        }
        if let Some(mut open) = state.open.remove(question) {
            if let Some((_, waiting)) = open.waiting.take() {
                // The run may have ended in this moment. Its feed then closes the question.
                drop(waiting.send(reply));
            } else {
                open.early = Some(reply);
                state.open.insert(question.to_owned(), open);
            }
        }
        Ok(())
    }

    /// Follows an event of the feed: a question can be answered from the moment in which windows see it.
    pub(crate) fn follow(&self, kind: &FeedKind) {
        match kind {
            FeedKind::QuestionOpened { question, card } => {
                let mut state = self.lock();
                if !state.answered.contains_key(question) && !state.open.contains_key(question) {
                    let open = OpenQuestion::new(question, card.clone());
                    let open = Open { question: open, request: None, waiting: None, early: None };
                    state.open.insert(question.clone(), open);
                }
            }
            FeedKind::QuestionClosed { question, .. } => drop(self.lock().open.remove(question)),
            _ => {}
        }
    }

    /// Returns the windows of the answers, which the feed of the run names.
    pub(crate) fn windows(&self) -> AnswerWindows {
        self.shared.windows.clone()
    }

    /// Returns the slot for the question about how the run continues.
    pub(crate) fn guidance(&self) -> GuidanceSlot {
        self.shared.guidance.clone()
    }

    async fn wait(&self, question: OpenQuestion, request: Option<&ApprovalRequest>) -> Option<Reply> {
        let (reply, answered) = oneshot::channel();
        let id = question.id.clone();
        let wait = {
            let mut state = self.lock();
            state.waits = state.waits.saturating_add(1);
            let wait = state.waits;
            let early = state.open.remove(&id).and_then(|open| open.early);
            if early.is_some() {
                return early;
            }
            let request = request.cloned().map(Box::new);
            let open = Open { question, request, waiting: Some((wait, reply)), early: None };
            state.open.insert(id.clone(), open);
            wait
        };
        let _guard = WaitGuard { desk: self, id: &id, wait };
        answered.await.ok()
    }

    async fn decide(&self, request: &ApprovalRequest) -> Option<ApprovalDecision> {
        let card = Question::Call { card: Box::new(call_card(request)) };
        match self.wait(OpenQuestion::new(&request.request_id, card), Some(request)).await? {
            Reply::Decision(decision) => Some(decision),
            Reply::Words(_) | Reply::Later => None,
        }
    }

    async fn ask(&self, question: &ToolQuestion) -> Result<String, NoAnswer> {
        if let Some(id) = self.shared.guidance.find(&question.text) {
            let question = OpenQuestion::new(id, Question::Guidance { text: question.text.clone() });
            return words(self.wait(question, None).await);
        }
        let number = self.shared.asked.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let id = format!("words-{:x}-{number}", crate::feed::now_ms());
        let card = Question::Words { text: question.text.clone(), suggestions: question.suggestions.clone() };
        // The receiver ends with the run.
        drop(self.shared.notes.send(FeedKind::QuestionOpened { question: id.clone(), card: card.clone() }));
        let mut note = QuestionEndNote { desk: self, id: id.clone(), closing: QuestionEnd::Withdrawn };
        let reply = words(self.wait(OpenQuestion::new(id, card), None).await);
        // The result of the tool contains the person's text, without secrets.
        note.closing =
            if reply.is_ok() { QuestionEnd::Answered { words: None } } else { QuestionEnd::NoApprover };
        reply
    }
}

/// Sends the end of a question to the feed when it is dropped.
struct QuestionEndNote<'a> {
    desk: &'a Desk,
    id: String,
    closing: QuestionEnd,
}

impl Drop for QuestionEndNote<'_> {
    fn drop(&mut self) {
        let (question, closing) = (self.id.clone(), self.closing.clone());
        drop(self.desk.shared.notes.send(FeedKind::QuestionClosed { question, closing, by: None }));
    }
}

fn words(reply: Option<Reply>) -> Result<String, NoAnswer> {
    match reply {
        Some(Reply::Words(text)) => Ok(text),
        _ => Err(NoAnswer::Absent),
    }
}

impl Approver for Desk {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(Self::decide(self, request))
    }
}

impl Human for Desk {
    fn answer<'a>(&'a self, question: &'a ToolQuestion) -> AnswerFuture<'a> {
        Box::pin(self.ask(question))
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("open", &self.lock().open.len()).finish_non_exhaustive()
    }
}
