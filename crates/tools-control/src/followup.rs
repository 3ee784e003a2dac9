//! `ask_followup_question`: the model asks the human a question.

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ResultStatus, ToolSpec};
use windlass_tool::{Context, NoAnswer, Output, Question, Tool, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::spec::spec;

/// The tool `ask_followup_question`, which asks the human one question and waits for the answer.
#[derive(Debug)]
pub struct AskFollowupQuestion {
    spec: ToolSpec,
}

#[derive(Deserialize)]
struct Arguments {
    question: String,
    #[serde(default)]
    suggestions: Vec<String>,
}

const SCHEMA: &str = r#"{"type":"object","properties":{"question":{"type":"string","description":"One clear question."},"suggestions":{"type":"array","items":{"type":"string"},"maxItems":6,"description":"Likely answers, complete enough to be picked as they are."}},"required":["question"],"additionalProperties":false}"#;

impl Default for AskFollowupQuestion {
    fn default() -> Self {
        let description = "Asks the human one question and waits for the answer. Use it only for what no tool can \
            find out.";
        Self { spec: spec("ask_followup_question", description, SCHEMA) }
    }
}

impl Tool for AskFollowupQuestion {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { question, suggestions } = read_arguments(payload)?;
            Ok(match ctx.ask(&Question::new(question, suggestions)).await {
                Ok(answer) => Output::text(answer),
                Err(NoAnswer::TimedOut) => {
                    Output::text("No answer arrived in time. Decide yourself and say what you assumed.")
                        .with_status(ResultStatus::TimedOut)
                }
                Err(_) => {
                    Output::text("No human is available to answer. Decide yourself and say what you assumed.")
                        .with_status(ResultStatus::Error)
                }
            })
        })
    }
}
