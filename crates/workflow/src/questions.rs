//! The two tools through which a workflow asks a human for approval and for text. They are ordinary calls, so
//! a question is displayed, recorded, suspended and answered remotely like every other.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use windlass_agent::{Agent, AgentError};
use windlass_hitl::{Action, Policy, Rule, RuleFile, Source};
use windlass_protocol::{Effect, Hints, Payload, RawJson, ResultStatus, Risk, ToolName, ToolSpec};
use windlass_tool::{AnswerFuture, Context, Human, NoAnswer, Output, Question, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;
use windlass_toolbox::{Preset, ToolConfig, Toolbox};

pub(crate) const APPROVAL: &str = "workflow_approval";
pub(crate) const INPUT: &str = "workflow_input";
/// The id of the policy rule that requires each approval.
const RULE: &str = "workflow.approval";

const APPROVAL_SCHEMA: &str = r#"{"type":"object","properties":{
"question":{"type":"string","description":"The statement that a human approves."},
"about":{"description":"The subject, shown completely."}
},"required":["question"],"additionalProperties":false}"#;

const INPUT_SCHEMA: &str = r#"{"type":"object","properties":{
"question":{"type":"string","description":"The question for the human."},
"suggestions":{"type":"array","items":{"type":"string"},"description":"Likely answers."}
},"required":["question"],"additionalProperties":false}"#;

/// Creates the agent that asks questions for steps. It has only these two tools, and asks the same human as
/// `hands`.
pub(crate) fn asker(hands: &Agent) -> Result<Agent, AgentError> {
    let tools: [Arc<dyn Tool>; 2] = [
        Arc::new(Approval { spec: spec(APPROVAL, "Asks a human for approval.", APPROVAL_SCHEMA) }),
        Arc::new(Input { spec: spec(INPUT, "Asks a human for an answer.", INPUT_SCHEMA) }),
    ];
    let toolbox = Toolbox::builder().tools(tools).config(ToolConfig::new(Preset::Full)).build();
    let mut rule = Rule::new(RULE, Action::Ask).with_tool(name(APPROVAL));
    rule.reason = Some("a workflow asks before it continues".to_owned());
    let mut file = RuleFile::default();
    file.rules.push(rule);
    let policy = Policy::default().with_file(Source::User, file);
    hands
        .copy_builder()
        .toolbox(toolbox.expect("the two tools have different names"))
        .policy(policy.expect("the rule is a constant and a test reads it"))
        .build()
}

/// Like `asker`, for a question that the human has already answered.
pub(crate) fn answering(asker: &Agent, words: &str) -> Result<Agent, AgentError> {
    asker.copy_builder().human(KnownAnswer(words.to_owned())).build()
}

/// A human whose answer is already known.
struct KnownAnswer(String);

impl Human for KnownAnswer {
    fn answer<'a>(&'a self, _: &'a Question) -> AnswerFuture<'a> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

/// Returns true if this is one of the two question tools.
pub(crate) fn asks(tool: &str) -> bool {
    tool == APPROVAL || tool == INPUT
}

fn name(name: &str) -> ToolName {
    ToolName::new(name).expect("the name is a constant and a test reads it")
}

fn spec(tool: &str, description: &str, schema: &str) -> ToolSpec {
    let schema: RawJson = schema.parse().expect("the schema is a constant and a test reads it");
    ToolSpec::function(name(tool), description, schema)
}

/// The tool `workflow_approval`. The call has no effect of its own: the approval is the policy's permission
/// to run it.
struct Approval {
    spec: ToolSpec,
}

impl Tool for Approval {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// An approval is valid for this question only: the high risk prevents learned approvals. The call has no
    /// effects, so it is repeated if a crash interrupts it.
    fn hints(&self) -> Hints {
        Hints { risk: Risk::High, ..Hints::read_only() }
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Arguments {
            question: String,
            #[serde(default)]
            about: Value,
        }
        Box::pin(async move {
            let Arguments { question, about } = read_arguments(payload)?;
            drop((question, about));
            Ok(Output::text("approved"))
        })
    }
}

/// The tool `workflow_input`. Asks a human, or defers the call if no human is available.
struct Input {
    spec: ToolSpec,
}

impl Tool for Input {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { idempotent: true, resumable: true, risk: Risk::Low, ..Hints::default() }
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Arguments {
            question: String,
            #[serde(default)]
            suggestions: Vec<String>,
        }
        Box::pin(async move {
            let Arguments { question, suggestions } = read_arguments(payload)?;
            match ctx.ask(&Question::new(question, suggestions)).await {
                Ok(answer) => Ok(Output::text(answer)),
                Err(NoAnswer::Absent) => Err(ToolError::Deferred),
                Err(_) => Ok(Output::text("no answer arrived in time").with_status(ResultStatus::TimedOut)),
            }
        })
    }
}
