//! One event of the stream, or the whole body, as this format writes it.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::lenient::{ArgumentText, Content, Count, Index, Words};
use crate::usage::WireUsage;

/// A `chat.completion.chunk`, or a `chat.completion`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Event<'a> {
    #[serde(borrow)]
    pub(crate) choices: Option<Vec<Choice<'a>>>,
    pub(crate) usage: Option<WireUsage>,
    /// Groq's own place for usage in a stream.
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
    /// The whole message; Perplexity and Writer send it beside every delta, so it is read only when wanted.
    #[serde(borrow)]
    pub(crate) message: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) finish_reason: Words<'a>,
    #[serde(borrow)]
    pub(crate) error: Option<&'a RawValue>,
}

/// What was added to the message, or the message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Delta<'a> {
    #[serde(borrow)]
    pub(crate) content: Content<'a>,
    #[serde(borrow)]
    pub(crate) refusal: Words<'a>,
    #[serde(borrow)]
    pub(crate) reasoning_content: Words<'a>,
    #[serde(borrow)]
    pub(crate) reasoning: Words<'a>,
    #[serde(borrow)]
    pub(crate) reasoning_details: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) tool_calls: Option<Vec<Option<Call<'a>>>>,
    #[serde(borrow)]
    pub(crate) function_call: Option<Function<'a>>,
    /// Where words came from.
    #[serde(borrow)]
    pub(crate) annotations: Option<&'a RawValue>,
}

impl Delta<'_> {
    /// The sources of an answer of a model that searches; most answers have an empty list.
    pub(crate) fn sources(&self) -> Vec<Value> {
        self.annotations.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Call<'a> {
    pub(crate) index: Index,
    #[serde(borrow)]
    pub(crate) id: Words<'a>,
    #[serde(borrow)]
    pub(crate) function: Option<Function<'a>>,
    #[serde(borrow)]
    pub(crate) custom: Option<Custom<'a>>,
    /// Gemini's signature, behind Google's own server of this format, comes here and goes back with the call.
    #[serde(borrow)]
    pub(crate) extra_content: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Function<'a> {
    #[serde(borrow)]
    pub(crate) name: Words<'a>,
    #[serde(borrow)]
    pub(crate) arguments: ArgumentText<'a>,
}

/// A tool that takes free text.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Custom<'a> {
    #[serde(borrow)]
    pub(crate) name: Words<'a>,
    #[serde(borrow)]
    pub(crate) input: Words<'a>,
}
