//! A call that cannot be run, and why.

use serde::{Deserialize, Serialize};
use windlass_protocol::{CallId, Opaque, ResultStatus, ToolName};
use windlass_stream::CallKey;

/// How an answer, or a call in it, came to its end (RULES S8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a closed vocabulary, by rule S8")]
pub enum Ending {
    /// As the provider ends what is whole.
    Complete,
    /// At the limit of tokens.
    Length,
    /// The stream broke off.
    Dropped,
    /// The provider failed, or one of its filters ended the answer.
    Error,
}

/// A call that cannot be run. It is answered with an error result that says why (RULES R1, S11).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MalformedCall {
    /// Which call of its answer.
    pub key: CallKey,
    /// Its id, the provider's or a made one.
    pub id: CallId,
    /// Its name, where one came that can be a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<ToolName>,
    /// What is wrong.
    pub reason: MalformedReason,
    /// The text of the arguments as far as it came.
    pub text: String,
    /// Fields of the provider that must go back with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// What is wrong with a call. The text is written for a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum MalformedReason {
    /// It never got a name (S11).
    #[error("the call has no tool name")]
    NoName,
    /// What it has cannot be a name.
    #[error("the call's tool name is not usable: {what}")]
    BadName {
        /// Why not.
        what: String,
    },
    /// It was cut (S10).
    #[error("{}", cut_text(*.ending))]
    Truncated {
        /// By what.
        ending: Ending,
    },
    /// The arguments are not JSON.
    #[error("the arguments are not valid JSON: {what} at byte {at}")]
    InvalidJson {
        /// Where, in bytes of the text.
        at: usize,
        /// What was met.
        what: String,
    },
    /// The arguments are JSON, but no object.
    #[error("the arguments are {met}, a JSON object is wanted")]
    NotAnObject {
        /// What was met.
        met: String,
    },
    /// The arguments are longer than the limit.
    #[error("the arguments have more than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// The arguments are nested deeper than the limit.
    #[error("the arguments are nested {limit} levels deep or more")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// The answer has more calls than the limit.
    #[error("the answer has more than {limit} calls; this one and those after it are left out")]
    TooManyCalls {
        /// The limit.
        limit: usize,
    },
}

impl MalformedCall {
    /// The status of the result that answers this call.
    pub fn status(&self) -> ResultStatus {
        match &self.reason {
            MalformedReason::Truncated { .. } => ResultStatus::TruncatedArguments,
            MalformedReason::NoName | MalformedReason::BadName { .. } => ResultStatus::UnknownTool,
            MalformedReason::TooManyCalls { .. } => ResultStatus::NotStarted,
            MalformedReason::InvalidJson { .. }
            | MalformedReason::NotAnObject { .. }
            | MalformedReason::TooLong { .. }
            | MalformedReason::TooDeep { .. } => ResultStatus::InvalidArguments,
        }
    }
}

fn cut_text(ending: Ending) -> &'static str {
    match ending {
        Ending::Complete => "the call's arguments never came",
        Ending::Length => "the answer reached its token limit inside the arguments",
        Ending::Dropped => "the stream broke off inside the arguments",
        Ending::Error => "the provider failed inside the arguments",
    }
}
