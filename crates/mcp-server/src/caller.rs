//! The client that made a call or requested a prompt, as the tool or prompt sees it.

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use windlass_tool::{AnswerFuture, CancellationToken, Human, NoAnswer, Progress, Question};

use crate::form::Form;

/// Capacity of the queue of progress messages to the client; further ones are dropped.
const WAITING: usize = 64;

/// A human's answer to the approval of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "yes, no, or nobody: every caller must distinguish them")]
pub enum Confirmation {
    /// Approval of this call only.
    Yes,
    /// Refusal, with the human's comment if she wrote one.
    No(Option<String>),
    /// The client cannot ask a human.
    Nobody,
}

/// The client that made a call or requested a prompt: its cancellation, its progress messages, and its human, if the
/// client supports elicitation.
#[derive(Clone, Debug)]
pub struct Caller {
    cancellation: CancellationToken,
    told: Option<mpsc::Sender<String>>,
    asked: Option<mpsc::Sender<PendingQuestion>>,
}

/// A question for the client, with the sender of its reply.
#[derive(Debug)]
pub(crate) struct PendingQuestion {
    pub(crate) form: Form,
    /// Sender of the human's answer.
    pub(crate) reply: oneshot::Sender<FormReply>,
}

/// The outcome of a form.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "filled in, declined, or nobody: every caller must distinguish them"
)]
pub enum FormReply {
    /// The values of the fields. They come from the client and are not checked.
    Filled(Value),
    /// The human declined or closed the form.
    Declined,
    /// The client cannot ask a human.
    Nobody,
}

/// The server's receiving ends of a caller's channels.
pub(crate) struct Line {
    pub(crate) told: mpsc::Receiver<String>,
    pub(crate) asked: mpsc::Receiver<PendingQuestion>,
}

impl Caller {
    /// Creates a caller and its receiving ends. Without a channel for progress or questions, messages are
    /// dropped and questions are answered with [`FormReply::Nobody`].
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

    /// Creates a caller without progress messages and questions.
    pub fn new_silent(cancellation: CancellationToken) -> Self {
        Self { cancellation, told: None, asked: None }
    }

    /// Returns the token that is cancelled when the server does not need the call's result any more, such as
    /// after a cancellation by the client.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// Queues a progress message, if the client requested progress. Returns at once.
    pub fn tell(&self, progress: Progress) {
        let Some(told) = &self.told else { return };
        let (Progress::Output(words) | Progress::Note(words)) = progress else { return };
        // A full queue drops the message; the result is complete.
        let _ = told.try_send(words);
    }

    /// Asks the human at the client for approval. Only a form with the answer yes approves; free text does
    /// not (RULES H4). Cancel-safe: dropping the future withdraws the question.
    pub async fn confirm(&self, words: impl Into<String>) -> Confirmation {
        match self.ask_form(Form::Confirm { words: words.into() }).await {
            FormReply::Filled(value) => Form::parse_confirmation(&value),
            FormReply::Declined => Confirmation::No(None),
            FormReply::Nobody => Confirmation::Nobody,
        }
    }

    /// Shows a form to the human at the client. The schema is the restricted JSON schema of MCP's
    /// elicitation: an object whose properties are texts, numbers, booleans or choices. A client gets no form
    /// with another schema, and the reply is [`FormReply::Nobody`]. Cancel-safe: dropping the future
    /// withdraws the form.
    pub async fn fill_form(&self, message: impl Into<String>, schema: Value) -> FormReply {
        self.ask_form(Form::Fields { key: None, message: message.into(), schema }).await
    }

    /// Shows a form like [`fill_form`](Self::fill_form), under a name of the tool. A client of 2026-07-28 finds
    /// the form under this name, and may send its values with the first request, before the form is shown.
    pub async fn fill_named_form(
        &self,
        name: impl Into<String>,
        message: impl Into<String>,
        schema: Value,
    ) -> FormReply {
        self.ask_form(Form::Fields { key: Some(name.into()), message: message.into(), schema }).await
    }

    async fn ask_form(&self, form: Form) -> FormReply {
        let Some(asked) = &self.asked else { return FormReply::Nobody };
        let (reply, answer) = oneshot::channel();
        if asked.send(PendingQuestion { form, reply }).await.is_err() {
            return FormReply::Nobody;
        }
        answer.await.unwrap_or(FormReply::Nobody)
    }
}

/// The messages of a call that the client accepts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hears {
    pub(crate) progress: bool,
    pub(crate) questions: bool,
}

/// Passes a tool's own question to the human at the client.
impl Human for Caller {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        Box::pin(async move {
            match self.ask_form(Form::Question(question.clone())).await {
                FormReply::Filled(value) => Form::parse_answer(&value).ok_or(NoAnswer::Absent),
                FormReply::Declined | FormReply::Nobody => Err(NoAnswer::Absent),
            }
        })
    }
}
