//! Calls that cannot run, with the reason.

use serde::{Deserialize, Serialize};
use windlass_protocol::{CallId, Opaque, ResultStatus, ToolName};

use crate::CallIndex;

/// The way in which an answer, or a call in it, ended (RULES S8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a closed vocabulary, by rule S8")]
pub enum Ending {
    /// The provider ended the answer regularly.
    Complete,
    /// The token limit was reached.
    Length,
    /// The stream ended without a finish reason.
    Dropped,
    /// The provider failed, or one of its filters ended the answer.
    Error,
}

/// A call that cannot run. It is answered with an error result that contains the reason (RULES R1, S11).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MalformedCall {
    /// The index of the call in its answer.
    pub key: CallIndex,
    /// The id from the provider, or a synthesized id.
    pub id: CallId,
    /// The tool's name, if a valid name arrived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<ToolName>,
    /// The reason.
    pub reason: MalformedReason,
    /// The received text of the arguments.
    pub text: String,
    /// Fields of the provider that must be sent back with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// The reason why a call cannot run. Its `Display` text is written for a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum MalformedReason {
    /// The call has no name (S11).
    #[error("the call has no tool name")]
    NoName,
    /// The name is not valid.
    #[error("the call's tool name is not usable: {what}")]
    BadName {
        /// The violated rule.
        what: String,
    },
    /// The call was truncated (S10).
    #[error("{}", cut_text(*.ending))]
    Truncated {
        /// The way in which the answer ended.
        ending: Ending,
    },
    /// The arguments are not JSON.
    #[error("the arguments are not valid JSON: {what} at byte {at}")]
    InvalidJson {
        /// The byte offset in the text.
        at: usize,
        /// The syntax error.
        what: String,
    },
    /// The arguments are valid JSON but not an object.
    #[error("the arguments are {met}, expected a JSON object")]
    NotAnObject {
        /// The kind of the value.
        met: String,
    },
    /// The arguments are longer than the limit.
    #[error("the arguments have more than {limit} bytes")]
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// The arguments are nested deeper than the limit.
    #[error("the arguments are nested {limit} levels deep or more")]
    TooDeep {
        /// The maximum depth.
        limit: usize,
    },
    /// The arguments have more values than [`Arguments`](windlass_protocol::Arguments) may have.
    #[error("the arguments have more than {limit} values")]
    TooManyValues {
        /// The maximum number of values.
        limit: usize,
    },
    /// The answer has more calls than the limit.
    #[error("the answer has more than {limit} calls; this call and the later ones are left out")]
    TooManyCalls {
        /// The maximum number of calls.
        limit: usize,
    },
}

impl MalformedCall {
    /// Returns the status of the result that answers this call.
    pub fn status(&self) -> ResultStatus {
        match &self.reason {
            MalformedReason::Truncated { .. } => ResultStatus::TruncatedArguments,
            MalformedReason::NoName | MalformedReason::BadName { .. } => ResultStatus::UnknownTool,
            MalformedReason::TooManyCalls { .. } => ResultStatus::NotStarted,
            MalformedReason::InvalidJson { .. }
            | MalformedReason::NotAnObject { .. }
            | MalformedReason::TooLong { .. }
            | MalformedReason::TooDeep { .. }
            | MalformedReason::TooManyValues { .. } => ResultStatus::InvalidArguments,
        }
    }
}

fn cut_text(ending: Ending) -> &'static str {
    match ending {
        Ending::Complete => "the call's arguments were not received",
        Ending::Length => "the answer reached its token limit inside the arguments",
        Ending::Dropped => "the stream ended inside the arguments",
        Ending::Error => "the provider failed inside the arguments",
    }
}
