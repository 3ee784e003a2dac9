//! Answers of people to questions of runs.

use std::fmt;

use windlass_hitl::ApprovalDecision;
use windlass_protocol::Arguments;

use crate::error::{AppError, ErrorKind, one_line};
use crate::feed::Question;

/// Answer of a person to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// The call may run once.
    Once {
        /// A comment for the model.
        comment: Option<String>,
    },
    /// The call, and calls of the same shape, may run for the rest of the session.
    Session {
        /// A comment for the model.
        comment: Option<String>,
    },
    /// The call may run once, with other arguments. They are checked like those of the model, and the person is asked
    /// again if the changed call has an effect or a risk that the question did not show.
    Edited {
        /// All arguments of the changed call.
        arguments: Arguments,
        /// A comment for the model.
        comment: Option<String>,
    },
    /// The call may not run.
    No {
        /// A comment for the model.
        comment: Option<String>,
    },
    /// The question stays open. The run continues as far as possible and is then suspended.
    Later,
    /// The answer to a question in words.
    Words {
        /// The words.
        text: String,
    },
}

/// Open question of a session.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OpenQuestion {
    /// Id of the question, which the answer names.
    pub id: String,
    /// The question.
    pub card: Question,
}

impl OpenQuestion {
    pub(crate) fn new(id: impl Into<String>, card: Question) -> Self {
        Self { id: id.into(), card }
    }
}

/// The place at which an answer arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerPlace {
    /// The working run received the answer.
    Run,
    /// The answer is stored for the suspended run, which gets it when it is resumed.
    Stored {
        /// Number of questions about calls that have no answer yet.
        unanswered: usize,
    },
}

/// The reason that an answer was refused.
#[derive(Debug)]
#[non_exhaustive]
pub enum AnswerError {
    /// Another answer came first.
    AlreadyAnswered {
        /// The window in which it was given, if it is known.
        by: Option<String>,
    },
    /// The session has no open question with this id.
    NotOpen {
        /// The id.
        question: String,
    },
    /// The approval of this call cannot be remembered. The question stays open.
    CannotRemember,
    /// The question needs another kind of answer: words, or a decision about a call. The question stays open.
    WrongKind,
    /// The tool of the call does not accept the changed arguments. The question stays open.
    InvalidArguments {
        /// The violations of the schema, in words.
        problem: String,
    },
    /// The proposed rule is another one than the person saw. The question stays open.
    RuleChanged,
    /// The call is approved for the session, but the rule could not be written.
    RuleNotWritten(AppError),
    /// The answer could not be read or stored.
    App(AppError),
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyAnswered { by: Some(by) } => write!(f, "the question was answered before, in {by}"),
            Self::AlreadyAnswered { by: None } => f.write_str("the question was answered before"),
            Self::NotOpen { question } => write!(f, "the question {question} is not open"),
            Self::CannotRemember => f.write_str("the approval of this call cannot be remembered"),
            Self::WrongKind => f.write_str("the question needs another kind of answer"),
            Self::InvalidArguments { problem } => f.write_str(problem),
            Self::RuleChanged => f.write_str("the proposed rule has changed: look at it again"),
            Self::RuleNotWritten(_) => {
                f.write_str("the call is approved for this session, but the rule could not be written")
            }
            Self::App(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AnswerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::RuleNotWritten(error) => Some(error),
            Self::App(error) => error.source(),
            _ => None,
        }
    }
}

impl From<AppError> for AnswerError {
    fn from(error: AppError) -> Self {
        Self::App(error)
    }
}

impl From<AnswerError> for AppError {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::App(error) => error,
            AnswerError::NotOpen { .. } => Self::new(ErrorKind::NotFound, error.to_string()),
            AnswerError::InvalidArguments { .. } => Self::new(ErrorKind::Invalid, error.to_string()),
            AnswerError::RuleNotWritten(ref cause) => {
                Self::new(ErrorKind::Unavailable, format!("{error}: {}", one_line(cause)))
            }
            other => Self::new(ErrorKind::Conflict, other.to_string()),
        }
    }
}

/// The form of an answer for its question.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Decision(ApprovalDecision),
    Words(String),
    Later,
}

impl Answer {
    /// Checks the answer against its question.
    pub(crate) fn reply_to(self, question: &OpenQuestion) -> Result<Reply, AnswerError> {
        let Question::Call { card } = &question.card else {
            return match self {
                Self::Words { text } => Ok(Reply::Words(text)),
                Self::Later => Ok(Reply::Later),
                _ => Err(AnswerError::WrongKind),
            };
        };
        let id = question.id.as_str();
        let decision = match self {
            Self::Later => return Ok(Reply::Later),
            Self::Words { .. } => return Err(AnswerError::WrongKind),
            // The arguments of a call that takes a text are not an object.
            Self::Edited { .. } if !card.arguments.is_object() => return Err(AnswerError::WrongKind),
            Self::Edited { arguments, comment } => {
                let mut decision = ApprovalDecision::approve(id).with_arguments(arguments);
                decision.reason = comment;
                decision
            }
            Self::Session { .. } if !card.can_remember => return Err(AnswerError::CannotRemember),
            Self::Session { comment } => {
                let mut decision = ApprovalDecision::approve(id).with_remember();
                decision.reason = comment;
                decision
            }
            Self::Once { comment } => {
                let mut decision = ApprovalDecision::approve(id);
                decision.reason = comment;
                decision
            }
            Self::No { comment } => ApprovalDecision::deny(id, comment),
        };
        Ok(Reply::Decision(decision))
    }
}
