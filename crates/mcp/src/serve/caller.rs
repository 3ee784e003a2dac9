//! Who makes a call: the client's side of it, as the program that runs the call sees it.

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use windlass_tool::{AnswerFuture, Human, NoAnswer, Progress, Question};

use super::form::Form;

/// How much that a call tells may wait for the client; more is left out.
const WAITING: usize = 64;

/// What a human at the client said to a call that needs her word.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "yes, no, or nobody: every caller must tell them apart")]
pub enum Confirmation {
    /// Yes, this once.
    Yes,
    /// No, and why, if she said it.
    No(Option<String>),
    /// The client has no way to ask anybody.
    Nobody,
}

/// The client behind a call: tells when to stop, hears how far it is, and has a human who can be asked, if it says so.
#[derive(Clone, Debug)]
pub struct Caller {
    cancellation: CancellationToken,
    told: Option<mpsc::Sender<String>>,
    asked: Option<mpsc::Sender<Asked>>,
}

/// A question that waits for the client.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) form: Form,
    /// What the human filled in; nothing if she said no.
    pub(crate) reply: oneshot::Sender<Reply>,
}

/// What came back for a form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Filled(Value),
    Declined,
    Nobody,
}

/// The server's ends of a caller.
pub(crate) struct Line {
    pub(crate) told: mpsc::Receiver<String>,
    pub(crate) asked: mpsc::Receiver<Asked>,
}

impl Caller {
    /// A caller and the server's ends. Whoever does not listen is not told, and whoever cannot be asked is not asked.
    pub(crate) fn new(cancellation: CancellationToken, hears: Hears) -> (Self, Line) {
        let (tell, told) = mpsc::channel(WAITING);
        let (ask, asked) = mpsc::channel(1);
        let caller = Self {
            cancellation,
            told: hears.progress.then_some(tell),
            asked: hears.questions.then_some(ask),
        };
        (caller, Line { told, asked })
    }

    /// A caller whom nothing can be told and nobody can ask.
    pub fn alone(cancellation: CancellationToken) -> Self {
        Self { cancellation, told: None, asked: None }
    }

    /// Tells when the client wants no result any more.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// Tells the client how far the call is, if it wants to know. Never waits.
    pub fn tell(&self, progress: Progress) {
        let Some(told) = &self.told else { return };
        let (Progress::Output(words) | Progress::Note(words)) = progress else { return };
        // A client that reads slowly misses some of it; the result is whole.
        let _ = told.try_send(words);
    }

    /// Asks the human at the client whether something may be done. Only a form that she filled in with yes is one; words
    /// never are (RULES H4). Cancel-safe: dropping the future takes the question back.
    pub async fn confirm(&self, words: impl Into<String>) -> Confirmation {
        match self.put(Form::Confirm { words: words.into() }).await {
            Reply::Filled(value) => Form::confirmed(&value),
            Reply::Declined => Confirmation::No(None),
            Reply::Nobody => Confirmation::Nobody,
        }
    }

    async fn put(&self, form: Form) -> Reply {
        let Some(asked) = &self.asked else { return Reply::Nobody };
        let (reply, answer) = oneshot::channel();
        if asked.send(Asked { form, reply }).await.is_err() {
            return Reply::Nobody;
        }
        answer.await.unwrap_or(Reply::Nobody)
    }
}

/// What a client hears of a call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hears {
    pub(crate) progress: bool,
    pub(crate) questions: bool,
}

/// A tool's own question goes to the human at the client.
impl Human for Caller {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        Box::pin(async move {
            match self.put(Form::Question(question.clone())).await {
                Reply::Filled(value) => Form::answered(&value).ok_or(NoAnswer::Absent),
                Reply::Declined | Reply::Nobody => Err(NoAnswer::Absent),
            }
        })
    }
}
