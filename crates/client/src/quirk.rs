//! The ways in which servers differ that speak the same format, each under a name.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use windlass_protocol::{Request, Strictness, ToolSpec};

use crate::edit::{Change, Edit};

/// A way in which a server or a model differs from others that speak the same format.
///
/// In `vendors.toml` a quirk stands by its name, as `call-ids-of-nine`. Each says what was observed, and where;
/// the fixture of each is in `tests/data/quirks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Quirk {
    /// The limit on the answer is `max_completion_tokens`. OpenAI's reasoning models refuse `max_tokens` with these
    /// very words: <https://github.com/griptape-ai/ComfyUI-Griptape/issues/312>.
    MaxCompletionTokens,
    /// `stream_options` is not sent. Mistral refuses fields that it does not know, and tells its usage unasked:
    /// <https://github.com/mistralai/platform-docs-public/issues/7>.
    NoStreamOptions,
    /// `parallel_tool_calls` is not sent. OpenAI's o-series refuses it: <https://github.com/evalstate/fast-agent/issues/279>.
    NoParallelToolCalls,
    /// `tool_choice` is not sent. Ollama takes it and does not keep to it: <https://github.com/ollama/ollama/issues/11171>.
    NoToolChoice,
    /// A call is demanded with `any`; `required` is another's word:
    /// <https://github.com/567-labs/instructor/pull/467>.
    ToolChoiceAny,
    /// A call of one tool cannot be demanded, only any call: LM Studio takes `tool_choice` as a word only,
    /// <https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/670>.
    ToolChoiceWords,
    /// Ids of calls have exactly nine letters and digits. Mistral refuses the history of any other provider:
    /// <https://github.com/langchain-ai/langchain/pull/24668>.
    CallIdsOfNine,
    /// `stop` is not sent. xAI's reasoning models refuse it: <https://github.com/langchain-ai/langchain/pull/38335>.
    NoStop,
    /// `temperature` is not sent. GPT-5 takes its own default only: <https://github.com/tmc/langchaingo/issues/1355>.
    NoTemperature,
    /// Thoughts do not go back as `reasoning_content`. Cerebras refuses the field in the second turn, whoever wrote
    /// it: <https://github.com/QwenLM/qwen-code/issues/11045>.
    NoReasoningContent,
    /// `reasoning.encrypted_content` is not asked for. OpenAI refuses to encrypt what a model without thoughts does
    /// not have: <https://github.com/pydantic/pydantic-ai/issues/2865>.
    NoEncryptedReasoning,
    /// `strict` is not sent with tools. Servers that check their input refuse the word even as false:
    /// <https://github.com/earendil-works/pi/issues/1172>.
    NoStrict,
    /// A tool with free text goes out as a function. Servers that know `function` only refuse the type `custom`:
    /// <https://github.com/microsoft/foundry-local/issues/1080>.
    NoFreeTextTools,
}

impl Quirk {
    /// Every quirk that there is.
    pub const ALL: &[Self] = &[
        Self::MaxCompletionTokens,
        Self::NoStreamOptions,
        Self::NoParallelToolCalls,
        Self::NoToolChoice,
        Self::ToolChoiceAny,
        Self::ToolChoiceWords,
        Self::CallIdsOfNine,
        Self::NoStop,
        Self::NoTemperature,
        Self::NoReasoningContent,
        Self::NoEncryptedReasoning,
        Self::NoStrict,
        Self::NoFreeTextTools,
    ];

    /// The name, as files have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxCompletionTokens => "max-completion-tokens",
            Self::NoStreamOptions => "no-stream-options",
            Self::NoParallelToolCalls => "no-parallel-tool-calls",
            Self::NoToolChoice => "no-tool-choice",
            Self::ToolChoiceAny => "tool-choice-any",
            Self::ToolChoiceWords => "tool-choice-words",
            Self::CallIdsOfNine => "call-ids-of-nine",
            Self::NoStop => "no-stop",
            Self::NoTemperature => "no-temperature",
            Self::NoReasoningContent => "no-reasoning-content",
            Self::NoEncryptedReasoning => "no-encrypted-reasoning",
            Self::NoStrict => "no-strict",
            Self::NoFreeTextTools => "no-free-text-tools",
        }
    }

    /// The change of the encoded body, where that is all there is to it.
    pub(crate) fn edit(self) -> Option<Edit> {
        let required = || "\"required\"".to_owned();
        Some(match self {
            Self::NoParallelToolCalls => Edit::new("parallel_tool_calls", Change::Drop),
            Self::NoToolChoice => Edit::new("tool_choice", Change::Drop),
            Self::ToolChoiceAny => {
                Edit::new("tool_choice", Change::Exchange { from: required(), to: "\"any\"".to_owned() })
            }
            Self::ToolChoiceWords => Edit::new("tool_choice", Change::ObjectTo(required())),
            Self::NoStop => Edit::new("stop", Change::Drop),
            Self::NoTemperature => Edit::new("temperature", Change::Drop),
            // These are options of their wire format, or changes of the request before it.
            Self::MaxCompletionTokens
            | Self::NoStreamOptions
            | Self::CallIdsOfNine
            | Self::NoReasoningContent
            | Self::NoEncryptedReasoning
            | Self::NoStrict
            | Self::NoFreeTextTools => return None,
        })
    }

    /// The change of the encoded body that does what an option of the wire format does, for a wire format that the user
    /// set up without it.
    pub(crate) fn edit_of_option(self) -> Option<Edit> {
        Some(match self {
            Self::MaxCompletionTokens => {
                Edit::new("max_tokens", Change::Rename("max_completion_tokens".to_owned()))
            }
            Self::NoStreamOptions => Edit::new("stream_options", Change::Drop),
            Self::NoEncryptedReasoning => {
                Edit::new("include", Change::DropItem("reasoning.encrypted_content".to_owned()))
            }
            _ => return None,
        })
    }

    /// The request as it may be said with this quirk, but for its messages, which [`Rewrites`](crate::rewrites::Rewrites)
    /// changes.
    pub(crate) fn rewrite(self, request: Cow<'_, Request>) -> Cow<'_, Request> {
        match self {
            Self::NoStrict => without_strict(request),
            Self::NoFreeTextTools => without_free_text(request),
            _ => request,
        }
    }
}

/// The request whose tools with free text are functions.
fn without_free_text(request: Cow<'_, Request>) -> Cow<'_, Request> {
    if request.tools.iter().all(|tool| matches!(tool, ToolSpec::Function { .. })) {
        return request;
    }
    let mut request = request.into_owned();
    request.tools = request.tools.iter().map(ToolSpec::as_function).collect();
    Cow::Owned(request)
}

/// The request whose tools leave it open how strict they are.
fn without_strict(request: Cow<'_, Request>) -> Cow<'_, Request> {
    let is_said =
        |tool: &ToolSpec| matches!(tool, ToolSpec::Function { strict, .. } if *strict != Strictness::Unsaid);
    if !request.tools.iter().any(is_said) {
        return request;
    }
    let mut request = request.into_owned();
    for tool in &mut request.tools {
        if let ToolSpec::Function { strict, .. } = tool {
            *strict = Strictness::Unsaid;
        }
    }
    Cow::Owned(request)
}
