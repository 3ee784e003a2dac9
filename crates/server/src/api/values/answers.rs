//! The values of questions and answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_app::feed::Question;
use windlass_app::policies::RuleProposal;
use windlass_app::sessions::Answer;
use windlass_protocol::Arguments;

use crate::api::ApiError;

/// An answer to a question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum NewAnswer {
    /// The call may run once.
    Once {
        /// Id of the question.
        question: String,
        /// A comment for the model.
        #[serde(default)]
        comment: Option<String>,
    },
    /// The call, and calls of the same shape, may run for the rest of the session.
    Session {
        /// Id of the question.
        question: String,
        /// A comment for the model.
        #[serde(default)]
        comment: Option<String>,
    },
    /// The call may run once, with other arguments. They are checked like those of the model, and the question is asked
    /// again if the changed call has an effect or a risk that the question did not show.
    Edited {
        /// Id of the question.
        question: String,
        /// All arguments of the changed call, as an object.
        arguments: Map<String, Value>,
        /// A comment for the model.
        #[serde(default)]
        comment: Option<String>,
    },
    /// The call, and calls of the same shape, may run for the rest of the session, and the proposed rule is written to
    /// the user's policy file for later runs.
    Rule {
        /// Id of the question.
        question: String,
        /// The digest of the proposal that was shown.
        digest: String,
        /// A comment for the model.
        #[serde(default)]
        comment: Option<String>,
    },
    /// The call may not run.
    No {
        /// Id of the question.
        question: String,
        /// A comment for the model.
        #[serde(default)]
        comment: Option<String>,
    },
    /// The question stays open.
    Later {
        /// Id of the question.
        question: String,
    },
    /// The answer to a question in words.
    Words {
        /// Id of the question.
        question: String,
        /// The words.
        text: String,
    },
}

/// The content of an answer: to a question alone, or with a rule.
#[derive(Debug)]
pub(crate) enum AnswerContent {
    Answer(Answer),
    Rule { digest: String, comment: Option<String> },
}

impl NewAnswer {
    /// Returns the id of the question, and the answer.
    pub(crate) fn split(self) -> Result<(String, AnswerContent), ApiError> {
        let (question, answer) = match self {
            Self::Once { question, comment } => (question, Answer::Once { comment }),
            Self::Session { question, comment } => (question, Answer::Session { comment }),
            Self::Edited { question, arguments, comment } => {
                let arguments = Arguments::parse(Value::Object(arguments).to_string());
                let arguments = arguments.map_err(|error| ApiError::invalid(error.to_string()))?;
                (question, Answer::Edited { arguments, comment })
            }
            Self::Rule { question, digest, comment } => {
                return Ok((question, AnswerContent::Rule { digest, comment }));
            }
            Self::No { question, comment } => (question, Answer::No { comment }),
            Self::Later { question } => (question, Answer::Later),
            Self::Words { question, text } => (question, Answer::Words { text }),
        };
        Ok((question, AnswerContent::Answer(answer)))
    }
}

/// The effect of an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AnswerEffect {
    /// True if a working run received the answer. Otherwise it is stored, and a request to `resume` passes it on.
    pub(crate) received: bool,
    /// Number of questions of the suspended run that have no answer yet.
    pub(crate) unanswered: usize,
    /// The rule that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<RuleValue>,
}

/// The narrowest rule that allows the call of a question and similar calls.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RuleValue {
    /// Digest of the text and the file, which an answer with this rule names.
    pub(crate) digest: String,
    /// The policy file to which the rule is appended.
    pub(crate) file: String,
    /// The text of the rule with its examples.
    pub(crate) text: String,
    /// Ids of the rules.
    pub(crate) rules: Vec<String>,
    /// Examples that the rule allows.
    pub(crate) allows: Vec<String>,
    /// Examples that the rule does not cover.
    pub(crate) refuses: Vec<String>,
}

impl From<RuleProposal> for RuleValue {
    fn from(proposal: RuleProposal) -> Self {
        Self {
            digest: proposal.digest,
            file: proposal.file.display().to_string(),
            text: proposal.text,
            rules: proposal.rules.into_iter().map(|rule| rule.id).collect(),
            allows: proposal.allows,
            refuses: proposal.refuses,
        }
    }
}

/// An open question of a session.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QuestionValue {
    /// Id of the session.
    pub(crate) session: String,
    /// Name of the session.
    pub(crate) session_name: String,
    /// Id of the question.
    pub(crate) question: String,
    /// The question.
    #[serde(flatten)]
    pub(crate) card: Question,
}
