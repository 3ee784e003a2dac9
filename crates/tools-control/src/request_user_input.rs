//! `request_user_input`: the model asks the human several questions at once.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ResultStatus, ToolSpec};
use windlass_tool::{Context, NoAnswer, Output, Question, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::spec::spec;

const MAX_QUESTIONS: usize = 4;

/// The tool `request_user_input`, which asks the human up to four questions with options, one after the
/// other, and returns all answers together. If a later question stays unanswered, the earlier answers are
/// kept.
#[derive(Debug)]
pub struct RequestUserInput {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    questions: Vec<AskedQuestions>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedQuestions {
    id: String,
    #[serde(default)]
    header: Option<String>,
    question: String,
    #[serde(default)]
    options: Vec<Choice>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    label: String,
    #[serde(default)]
    description: Option<String>,
}

const SCHEMA: &str = r#"{"type":"object","properties":{"questions":{"type":"array","minItems":1,"maxItems":4,"description":"The questions, in order.","items":{"type":"object","properties":{
"id":{"type":"string","description":"A short name for the answer, as `database`. Each is another."},
"header":{"type":"string","description":"A title of one to three words."},
"question":{"type":"string","description":"One clear question."},
"options":{"type":"array","maxItems":6,"description":"Answers to pick from, the best one first. The human may say something else.","items":{"type":"object","properties":{
"label":{"type":"string","description":"The answer, in one to five words."},
"description":{"type":"string","description":"Its consequence, in a sentence."}
},"required":["label"],"additionalProperties":false}}
},"required":["id","question"],"additionalProperties":false}}},"required":["questions"],"additionalProperties":false}"#;

impl Default for RequestUserInput {
    fn default() -> Self {
        let description = "Asks the human one to four questions and waits for the answers. Use it only for what no \
            tool can find out and what changes what you do next.";
        Self { spec: spec("request_user_input", description, SCHEMA) }
    }
}

impl AskedQuestions {
    fn question(&self, number: usize, of: usize) -> Question {
        let mut text = if of > 1 { format!("({number} of {of}) ") } else { String::new() };
        if let Some(header) = &self.header {
            let _ = write!(text, "{header}: ");
        }
        text.push_str(&self.question);
        for choice in &self.options {
            if let Some(description) = &choice.description {
                let _ = write!(text, "\n  {}: {description}", choice.label);
            }
        }
        Question::new(text, self.options.iter().map(|choice| choice.label.clone()).collect())
    }
}

impl Tool for RequestUserInput {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    /// Dropping the future withdraws the open question.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { questions } = read_arguments(payload)?;
            check(&questions)?;
            ask(ctx, &questions).await
        })
    }
}

fn check(questions: &[AskedQuestions]) -> Result<(), ToolError> {
    if questions.is_empty() || questions.len() > MAX_QUESTIONS {
        let met = questions.len();
        return Err(ToolError::model(format!(
            "{met} questions were given, 1 to {MAX_QUESTIONS} are allowed, and none was asked"
        )));
    }
    let mut ids = BTreeSet::new();
    match questions.iter().find(|question| !ids.insert(question.id.as_str())) {
        Some(twice) => {
            Err(ToolError::model(format!("two questions have the id `{}`, and nothing was asked", twice.id))
                .with_advice("Give each its own."))
        }
        None => Ok(()),
    }
}

async fn ask(ctx: &Context, questions: &[AskedQuestions]) -> Result<Output, ToolError> {
    let of = questions.len();
    let mut answers = String::new();
    let mut answered = 0_usize;
    let mut missing = None;
    for (asked, number) in questions.iter().zip(1_usize..) {
        let told = match missing {
            // A human who did not answer one question is not asked the next.
            Some(_) => None,
            None => match ctx.ask(&asked.question(number, of)).await {
                Ok(answer) => Some(answer),
                Err(why) => {
                    missing = Some(why);
                    None
                }
            },
        };
        answered = answered.saturating_add(usize::from(told.is_some()));
        let told =
            told.map_or_else(|| "(no answer)".to_owned(), |answer| answer.trim().replace('\n', "\n  "));
        let _ = write!(answers, "\n{}: {told}", asked.id);
    }
    let (why, status) = match missing {
        None => return Ok(Output::text(format!("[{answered} of {of} questions answered]{answers}"))),
        Some(NoAnswer::TimedOut) => ("No answer arrived in time", ResultStatus::TimedOut),
        Some(_) => ("No human is available to answer", ResultStatus::Error),
    };
    let text = format!(
        "[{answered} of {of} questions answered]{answers}\n{why}. Decide yourself what has no answer, and say what you \
         assumed."
    );
    Ok(Output::text(text).with_status(status))
}
