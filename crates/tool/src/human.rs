//! A question of a tool to the human.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A question to the human, with answers to pick from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// What is asked.
    pub text: String,
    /// Answers that the model thinks likely.
    #[serde(default)]
    pub suggestions: Vec<String>,
}

impl Question {
    /// A question with likely answers.
    pub fn new(text: impl Into<String>, suggestions: Vec<String>) -> Self {
        Self { text: text.into(), suggestions }
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoAnswer {
    /// Nobody is there to ask.
    #[error("nobody is there to answer")]
    Absent,
    /// Nobody answered in time.
    #[error("nobody answered in time")]
    TimedOut,
}

/// The wait for an answer.
pub type AnswerFuture<'a> = Pin<Box<dyn Future<Output = Result<String, NoAnswer>> + Send + 'a>>;

/// Somebody who answers questions.
pub trait Human: Send + Sync {
    /// Asks and waits. Cancel-safe: dropping the future takes the question back.
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a>;
}

/// A human who is shared.
impl<T: Human + ?Sized> Human for Arc<T> {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        (**self).answer(question)
    }
}
