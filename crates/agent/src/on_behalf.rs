//! Questions of agents below another: the human sees who asks (RULES H13).

use std::sync::Arc;

use windlass_tool::{AnswerFuture, Human, Question};

/// The human of the agent above, asked for one below it.
pub(crate) struct OnBehalf {
    human: Arc<dyn Human>,
    /// The one that asks, by its own name; those above add theirs.
    name: String,
}

impl OnBehalf {
    pub(crate) fn new(human: Arc<dyn Human>, name: &str) -> Self {
        Self { human, name: name.to_owned() }
    }
}

impl Human for OnBehalf {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        let mut asked = question.clone();
        asked.text = format!("[{}] {}", self.name, question.text);
        Box::pin(async move { self.human.answer(&asked).await })
    }
}
