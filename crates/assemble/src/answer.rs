//! The complete answer of a model.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_protocol::{Arguments, CallId, Message, Part, StopReason, ToolCall, Usage};
use windlass_stream::StreamError;

use crate::{Ending, MalformedCall};

/// The complete answer of a model, assembled from a stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Answer {
    /// Text, reasoning, calls and unknown parts in the order in which they were written. A malformed call
    /// with a name is included as a call with `{}`, so that its error result has a matching call.
    pub parts: Vec<Part>,
    /// All calls, good and malformed, in call order.
    pub calls: Vec<AnswerCall>,
    /// The stop reason; `None` if the stream ended without one.
    pub stop: Option<StopReason>,
    /// The stop reason in the provider's own word.
    pub raw_stop: Option<String>,
    /// The token usage.
    pub usage: Usage,
    /// The sources of the text, such as citations.
    pub grounding: Vec<Value>,
    /// The first failure that the provider reported or that a limit caused.
    pub error: Option<StreamError>,
    /// The way in which the answer ended.
    pub ending: Ending,
}

/// One call of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a call can be run or it cannot")]
pub enum AnswerCall {
    /// The call is valid and can be decided on and run.
    Good(ToolCall),
    /// The call cannot run and is answered with an error.
    Malformed(MalformedCall),
}

impl AnswerCall {
    /// Returns the id that the call's result must have.
    pub fn id(&self) -> &CallId {
        match self {
            Self::Good(call) => &call.id,
            Self::Malformed(call) => &call.id,
        }
    }

    /// Returns the call for the assistant message, or `None` for a malformed call without a name.
    pub(crate) fn to_call(&self) -> Option<ToolCall> {
        match self {
            Self::Good(call) => Some(call.clone()),
            Self::Malformed(call) => Some(
                ToolCall::function(call.id.clone(), call.name.clone()?, Arguments::default())
                    .with_opaque(call.opaque.clone()),
            ),
        }
    }
}

impl Answer {
    /// Returns the answer as a message of the conversation, or `None` if the answer is empty (RULES R7).
    pub fn message(&self) -> Option<Message> {
        (!self.is_empty()).then(|| Message::assistant(self.parts.clone()))
    }

    /// Returns whether the model did not produce anything. Empty text with a signature counts as empty,
    /// because Gemini ends answers with such a part.
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text(text) if text.text.is_empty()))
    }

    /// Returns the concatenated texts.
    pub fn text(&self) -> String {
        let words = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        words.collect()
    }

    /// Iterates over the valid calls, in call order.
    pub fn good_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.calls.iter().filter_map(|call| match call {
            AnswerCall::Good(call) => Some(call),
            AnswerCall::Malformed(_) => None,
        })
    }

    /// Iterates over the malformed calls, in call order.
    pub fn iter_malformed(&self) -> impl Iterator<Item = &MalformedCall> {
        self.calls.iter().filter_map(|call| match call {
            AnswerCall::Malformed(call) => Some(call),
            AnswerCall::Good(_) => None,
        })
    }
}
