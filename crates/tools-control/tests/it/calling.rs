//! Calls with a human who has prepared answers.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use windlass_protocol::{Arguments, CallId, Content, Payload, ResultStatus};
use windlass_tool::{AnswerFuture, Context, Human, NoAnswer, Question, Tool, ToolError};

/// Answers in order, and the requests.
#[derive(Clone, Default)]
pub(crate) struct Says {
    answers: Arc<Mutex<Vec<Result<String, NoAnswer>>>>,
    asked: Arc<Mutex<Vec<Question>>>,
}

impl Says {
    pub(crate) fn new(answers: &[Result<&str, NoAnswer>]) -> Self {
        let answers = answers.iter().rev().map(|answer| answer.map(str::to_owned)).collect();
        Self { answers: Arc::new(Mutex::new(answers)), asked: Arc::default() }
    }

    pub(crate) fn asked(&self) -> Vec<Question> {
        self.asked.lock().unwrap().clone()
    }
}

impl Human for Says {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        self.asked.lock().unwrap().push(question.clone());
        let answer = self.answers.lock().unwrap().pop().unwrap_or(Err(NoAnswer::Absent));
        Box::pin(async { answer })
    }
}

pub(crate) fn context() -> Context {
    Context::new(CallId::new("call_1").unwrap())
}

pub(crate) fn payload(arguments: &Value) -> Payload {
    Payload::Function { arguments: Arguments::parse(arguments.to_string()).unwrap() }
}

/// The text for the model, of a result or of an error.
pub(crate) async fn call_with(tool: &dyn Tool, ctx: &Context, arguments: &Value) -> (ResultStatus, String) {
    match tool.call(ctx, &payload(arguments)).await {
        Ok(output) => match output.content.first() {
            Some(Content::Text { text }) => (output.status, text.clone()),
            other => unreachable!("{other:?}"),
        },
        Err(ToolError::Model(text)) => (ResultStatus::Error, text.wire_text()),
        Err(other) => unreachable!("{other}"),
    }
}

pub(crate) async fn call(tool: &dyn Tool, arguments: &Value) -> (ResultStatus, String) {
    call_with(tool, &context(), arguments).await
}
