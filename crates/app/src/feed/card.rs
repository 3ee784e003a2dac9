//! The parts of events: questions and their answers, outcomes, tokens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::reported_tokens::ReportedTokens;

/// Question to a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Question {
    /// May a call run?
    Call {
        /// The call, with everything that a person needs for the answer.
        card: Box<CallCard>,
    },
    /// Should the run continue, and how? The answer is yes, no, or a message for the model.
    Guidance {
        /// The question.
        text: String,
    },
    /// A question that the model asks. The answer is a text.
    Words {
        /// The question.
        text: String,
        /// Answers that the model considers likely.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        suggestions: Vec<String>,
    },
}

/// Everything that a person needs to know about a call to answer whether it may run. The approval is bound to
/// [`digest`](Self::digest).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CallCard {
    /// The names of the asking agents, from the root's child down; empty for the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// Id of the call.
    pub call: String,
    /// The name of the tool.
    pub tool: String,
    /// The arguments as a JSON object, or the text of a call that takes text.
    pub arguments: Value,
    /// Id of the rule that asks.
    pub rule: String,
    /// The origin of the rule.
    pub source: String,
    /// The explanation of the rule.
    pub reason: String,
    /// The risk: `low`, `medium`, `high` or `critical`.
    pub risk: String,
    /// The effects of the call.
    pub effects: Vec<CardEffect>,
    /// The words of each command that the call runs, as they will run. Empty if the text of a command cannot be
    /// divided with certainty; the text is in the effects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<Vec<String>>,
    /// The files of the call, and where their links lead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<CardPath>,
    /// The changes of files, as unified diffs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<CardChange>,
    /// The level of confinement of the call's processes; missing for a call that starts none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment: Option<String>,
    /// Requested restrictions that the level does not enforce.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
    /// The digest that binds an approval to this content.
    pub digest: String,
    /// True if the approval can be remembered for the session.
    pub can_remember: bool,
    /// The calls that a remembered approval would cover.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// The whole question as text, with control and invisible characters escaped.
    pub text: String,
}

/// Effect of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CardEffect {
    /// The kind: `read`, `write`, `delete`, `execute`, `connect` and others.
    pub kind: String,
    /// The path, the command, the host, the agent or the tool.
    pub target: String,
}

/// File of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CardPath {
    /// The path as declared by the call.
    pub path: String,
    /// The path with symbolic links resolved.
    pub resolved: String,
}

/// Change of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CardChange {
    /// The path.
    pub path: String,
    /// A unified diff.
    pub diff: String,
}

/// End of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "snake_case")]
#[non_exhaustive]
pub enum QuestionEnd {
    /// The call may run.
    Approved {
        /// True if calls of the same shape need no further question in this session.
        #[serde(default)]
        remembered: bool,
        /// The arguments of the call, if the person changed them. The tool, the policy and the work mode check the
        /// changed call again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<Value>,
        /// A comment for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
    },
    /// The call may not run.
    Denied {
        /// A comment for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
    },
    /// A person answered in words. A plain yes has none.
    Answered {
        /// The words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<String>,
    },
    /// No answer arrived in time.
    TimedOut,
    /// The run has no approver.
    NoApprover,
    /// The question was withdrawn: its run was stopped, or its process ended.
    Withdrawn,
}

/// Outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunOutcome {
    /// The task is done.
    Completed {
        /// The model's final text.
        text: String,
    },
    /// The run stopped before the task was done.
    Stopped {
        /// The cause: `cancelled`, `turn_limit`, `mistake_limit`, `budget` or `refused`.
        cause: String,
    },
    /// The run waits for answers or results.
    Suspended {
        /// Ids of the open questions.
        questions: Vec<String>,
        /// Ids of the calls whose results are missing.
        results: Vec<String>,
    },
    /// The run failed.
    Failed {
        /// The error.
        message: String,
    },
}

/// Origin of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessageSource {
    /// A person's message to the working run.
    Person,
    /// A person's next task.
    NextTask,
    /// A person's answer to a question about the run.
    Guidance,
    /// An instruction of the program, for example to use a tool.
    Program,
}

/// Tokens of an answer or of a run, with their cost. Zero stands for a number that no provider reported. In JSON such a
/// number is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "ReportedTokens", into = "ReportedTokens")]
#[non_exhaustive]
pub struct Tokens {
    /// All input tokens, including cached tokens.
    pub input: u64,
    /// All output tokens, including reasoning tokens.
    pub output: u64,
    /// Input tokens that the provider read from its cache.
    pub cache_read: u64,
    /// Input tokens that the provider wrote to its cache.
    pub cache_write: u64,
    /// Output tokens that were used for reasoning.
    pub reasoning: u64,
    /// The cost in millionths of the currency of the run's prices; zero if it is unknown.
    pub cost: u64,
}

/// Source that the provider names for a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CitedSource {
    /// The address of a page, or the provider's name of a document. It is a text of the provider: a reader that makes a
    /// link of it checks the scheme.
    pub source: String,
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}
