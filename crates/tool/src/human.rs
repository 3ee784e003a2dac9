//! Questions of a tool to a human.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A question to a human, with suggested answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The text of the question.
    pub text: String,
    /// Answers that the model considers likely.
    #[serde(default)]
    pub suggestions: Vec<String>,
}

impl Question {
    /// Creates a question with suggested answers.
    pub fn new(text: impl Into<String>, suggestions: Vec<String>) -> Self {
        Self { text: text.into(), suggestions }
    }
}

/// The reason why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoAnswer {
    /// No human is available.
    Absent,
    /// No human answered within the time limit.
    TimedOut,
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Absent => "no human is available to answer",
            Self::TimedOut => "no answer arrived in time",
        })
    }
}

impl Error for NoAnswer {}

/// The future of an answer.
pub type AnswerFuture<'a> = Pin<Box<dyn Future<Output = Result<String, NoAnswer>> + Send + 'a>>;

/// A source of answers to questions, usually an interactive user.
pub trait Human: Send + Sync {
    /// Asks the question and waits for the answer. Cancel-safe: dropping the future withdraws the question.
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a>;
}

/// A shared human.
impl<T: Human + ?Sized> Human for Arc<T> {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        (**self).answer(question)
    }
}
