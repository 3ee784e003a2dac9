//! Questions of an agent below another agent, marked with its name (RULES H13).

use std::sync::Arc;

use windlass_tool::{AnswerFuture, Human, Question};

/// A human that receives the questions of one agent, each with that agent's name in front.
pub(crate) struct OnBehalf {
    human: Arc<dyn Human>,
    /// The agent's own name; the agents above add theirs.
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
