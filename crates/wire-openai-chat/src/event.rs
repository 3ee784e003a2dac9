//! The JSON of a stream event and of a whole body.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::lenient::{ArgumentText, Content, Count, Index, OptionalStr};
use crate::usage::WireUsage;

/// A `chat.completion.chunk`, or a `chat.completion`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Event<'a> {
    #[serde(borrow)]
    pub(crate) choices: Option<Vec<Choice<'a>>>,
    pub(crate) usage: Option<WireUsage>,
    /// The place where Groq puts the usage of a stream.
    pub(crate) x_groq: Option<Groq>,
    #[serde(borrow)]
    pub(crate) error: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Groq {
    pub(crate) usage: Option<WireUsage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Choice<'a> {
    pub(crate) index: Count,
    #[serde(borrow)]
    pub(crate) delta: Option<Delta<'a>>,
    /// The whole message. Perplexity and Writer send it beside every delta, so it is parsed only when it is
    /// needed.
    #[serde(borrow)]
    pub(crate) message: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) finish_reason: OptionalStr<'a>,
    #[serde(borrow)]
    pub(crate) error: Option<&'a RawValue>,
}

/// The content that an event adds to the message, or the message itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Delta<'a> {
    #[serde(borrow)]
    pub(crate) content: Content<'a>,
    #[serde(borrow)]
    pub(crate) refusal: OptionalStr<'a>,
    #[serde(borrow)]
    pub(crate) reasoning_content: OptionalStr<'a>,
    #[serde(borrow)]
    pub(crate) reasoning: OptionalStr<'a>,
    #[serde(borrow)]
    pub(crate) reasoning_details: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) tool_calls: Option<Vec<Option<Call<'a>>>>,
    #[serde(borrow)]
    pub(crate) function_call: Option<Function<'a>>,
    /// The sources of the text.
    #[serde(borrow)]
    pub(crate) annotations: Option<&'a RawValue>,
}

impl Delta<'_> {
    /// Returns the sources of an answer from a model with web search. Most answers have an empty list.
    pub(crate) fn sources(&self) -> Vec<Value> {
        self.annotations.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Call<'a> {
    pub(crate) index: Index,
    #[serde(borrow)]
    pub(crate) id: OptionalStr<'a>,
    #[serde(borrow)]
    pub(crate) function: Option<Function<'a>>,
    #[serde(borrow)]
    pub(crate) custom: Option<Custom<'a>>,
    /// Gemini's signature, which Google's server of this format sends here and requires back with the call.
    #[serde(borrow)]
    pub(crate) extra_content: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Function<'a> {
    #[serde(borrow)]
    pub(crate) name: OptionalStr<'a>,
    #[serde(borrow)]
    pub(crate) arguments: ArgumentText<'a>,
}

/// A call of a tool that takes free text.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Custom<'a> {
    #[serde(borrow)]
    pub(crate) name: OptionalStr<'a>,
    #[serde(borrow)]
    pub(crate) input: OptionalStr<'a>,
}
