//! A whole answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_protocol::{Arguments, CallId, Message, Part, StopReason, ToolCall, Usage};
use windlass_stream::StreamError;

use crate::{Ending, MalformedCall};

/// All that a model answered, when nothing more comes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Answer {
    /// Words, thoughts, calls and unknown parts in the order in which they were written. A malformed call
    /// with a name is here as a call with `{}`, so that its error result has something to answer.
    pub parts: Vec<Part>,
    /// All calls, good and bad, in call order.
    pub calls: Vec<AnswerCall>,
    /// Why the model stopped, unless the answer ended without a word.
    pub stop: Option<StopReason>,
    /// Why, in the provider's own word.
    pub raw_stop: Option<String>,
    /// What it cost.
    pub usage: Usage,
    /// Where words came from.
    pub grounding: Vec<Value>,
    /// The failure that the provider reported, or that a limit made.
    pub error: Option<StreamError>,
    /// How the answer came to its end.
    pub ending: Ending,
}

/// One call of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a call can be run or it cannot")]
pub enum AnswerCall {
    /// It can be decided on and run.
    Good(ToolCall),
    /// It cannot; it is answered with an error.
    Malformed(MalformedCall),
}

impl AnswerCall {
    /// The id that the call's result must name.
    pub fn id(&self) -> &CallId {
        match self {
            Self::Good(call) => &call.id,
            Self::Malformed(call) => &call.id,
        }
    }

    /// The call as it stands in the message; none for a malformed call without a name.
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
    /// The answer as a message of the conversation; none if there is nothing to keep (RULES R7).
    pub fn message(&self) -> Option<Message> {
        (!self.is_empty()).then(|| Message::assistant(self.parts.clone()))
    }

    /// Whether the model said nothing. A signature on words that are none says nothing either, though Gemini
    /// ends answers with one.
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text(text) if text.text.is_empty()))
    }

    /// All words, joined.
    pub fn text(&self) -> String {
        let words = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        words.collect()
    }

    /// The calls that can be run, in call order.
    pub fn good_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.calls.iter().filter_map(|call| match call {
            AnswerCall::Good(call) => Some(call),
            AnswerCall::Malformed(_) => None,
        })
    }

    /// The calls that cannot be run, in call order.
    pub fn malformed_calls(&self) -> impl Iterator<Item = &MalformedCall> {
        self.calls.iter().filter_map(|call| match call {
            AnswerCall::Malformed(call) => Some(call),
            AnswerCall::Good(_) => None,
        })
    }
}
