//! Named differences between servers that speak the same wire format.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use windlass_protocol::{PromptCache, Request, Strictness, ToolSpec};

use crate::edit::{Change, Edit};

/// A difference of a server or model from others that speak the same wire format.
///
/// `vendors.toml` refers to a quirk by its name, such as `call-ids-of-nine`. Each variant cites the
/// observation; each has a fixture in `tests/data/quirks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Quirk {
    /// Sends the output limit as `max_completion_tokens`. OpenAI's reasoning models refuse `max_tokens`:
    /// <https://github.com/griptape-ai/ComfyUI-Griptape/issues/312>.
    MaxCompletionTokens,
    /// Omits `stream_options`. Mistral refuses unknown fields and sends its usage without being asked:
    /// <https://github.com/mistralai/platform-docs-public/issues/7>.
    NoStreamOptions,
    /// Omits `parallel_tool_calls`. OpenAI's o-series refuses it:
    /// <https://github.com/evalstate/fast-agent/issues/279>.
    NoParallelToolCalls,
    /// Omits `tool_choice`. Ollama accepts it and ignores it:
    /// <https://github.com/ollama/ollama/issues/11171>.
    NoToolChoice,
    /// Forces a call with `any` in place of `required`: <https://github.com/567-labs/instructor/pull/467>.
    ToolChoiceAny,
    /// Forces any call where one named tool was chosen. LM Studio accepts `tool_choice` only as a string:
    /// <https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/670>.
    ToolChoiceWords,
    /// Rewrites call ids to exactly nine letters and digits. Mistral refuses histories with the ids of other
    /// providers: <https://github.com/langchain-ai/langchain/pull/24668>.
    CallIdsOfNine,
    /// Omits `stop`. xAI's reasoning models refuse it:
    /// <https://github.com/langchain-ai/langchain/pull/38335>.
    NoStop,
    /// Omits `temperature`. GPT-5 accepts only its default: <https://github.com/tmc/langchaingo/issues/1355>.
    NoTemperature,
    /// Does not send reasoning back as `reasoning_content`. Cerebras refuses the field in the second turn,
    /// whatever model wrote it: <https://github.com/QwenLM/qwen-code/issues/11045>.
    NoReasoningContent,
    /// Does not request `reasoning.encrypted_content`. OpenAI refuses it for models without reasoning:
    /// <https://github.com/pydantic/pydantic-ai/issues/2865>.
    NoEncryptedReasoning,
    /// Omits `strict` from tools. Servers that validate their input refuse the field even if it is false:
    /// <https://github.com/earendil-works/pi/issues/1172>.
    NoStrict,
    /// Sends free-text tools as functions. Servers that support only `function` refuse the type `custom`:
    /// <https://github.com/microsoft/foundry-local/issues/1080>.
    NoFreeTextTools,
    /// Adds no cache markers. Servers of Anthropic's format that validate their input refuse `cache_control`:
    /// <https://github.com/earendil-works/pi/issues/7938>.
    NoPromptCache,
    /// Does not ask for arguments as the model writes them. Servers of Anthropic's format that validate their input
    /// refuse `eager_input_streaming`, as older gateways do.
    NoEagerArguments,
    /// Marks the user's first text as the end of a prefix that the prompt cache keeps. OpenAI's models take explicit
    /// breakpoints since GPT-5.6: <https://developers.openai.com/api/docs/guides/prompt-caching>. Holds where the vendor also
    /// takes `prompt_cache_key`.
    CacheBreakpoint,
}

impl Quirk {
    /// All quirks.
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
        Self::NoPromptCache,
        Self::NoEagerArguments,
        Self::CacheBreakpoint,
    ];

    /// Returns the name as used in files.
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
            Self::NoPromptCache => "no-prompt-cache",
            Self::NoEagerArguments => "no-eager-arguments",
            Self::CacheBreakpoint => "cache-breakpoint",
        }
    }

    /// Returns the edit of the encoded body, or `None` if the quirk changes the request instead.
    pub(crate) fn edit(self) -> Option<Edit> {
        let required = || "\"required\"".to_owned();
        Some(match self {
            Self::MaxCompletionTokens => {
                Edit::new("max_tokens", Change::Rename("max_completion_tokens".to_owned()))
            }
            Self::NoStreamOptions => Edit::new("stream_options", Change::Drop),
            Self::NoEncryptedReasoning => {
                Edit::new("include", Change::DropItem("reasoning.encrypted_content".to_owned()))
            }
            Self::NoParallelToolCalls => Edit::new("parallel_tool_calls", Change::Drop),
            Self::NoToolChoice => Edit::new("tool_choice", Change::Drop),
            Self::ToolChoiceAny => {
                Edit::new("tool_choice", Change::Exchange { from: required(), to: "\"any\"".to_owned() })
            }
            Self::ToolChoiceWords => Edit::new("tool_choice", Change::ObjectTo(required())),
            Self::NoStop => Edit::new("stop", Change::Drop),
            Self::NoTemperature => Edit::new("temperature", Change::Drop),
            // These quirks rewrite the request before it is encoded.
            Self::CallIdsOfNine
            | Self::NoReasoningContent
            | Self::NoStrict
            | Self::NoFreeTextTools
            | Self::NoPromptCache
            | Self::NoEagerArguments
            | Self::CacheBreakpoint => return None,
        })
    }

    /// Applies the quirk to a request, except to its messages: [`Rewrites`](crate::rewrites::Rewrites)
    /// changes those.
    pub(crate) fn rewrite(self, request: Cow<'_, Request>) -> Cow<'_, Request> {
        match self {
            Self::NoStrict => strip_strict(request),
            Self::NoFreeTextTools => strip_free_text(request),
            Self::NoPromptCache => turn_cache_off(request),
            Self::NoEagerArguments => strip_eager(request),
            _ => request,
        }
    }
}

/// Turns the marks for the prompt cache off.
fn turn_cache_off(request: Cow<'_, Request>) -> Cow<'_, Request> {
    let mut request = request.into_owned();
    request.options.prompt_cache = PromptCache::Off;
    Cow::Owned(request)
}

/// Replaces free-text tools with functions.
fn strip_free_text(request: Cow<'_, Request>) -> Cow<'_, Request> {
    if request.all_tools().all(|tool| matches!(tool, ToolSpec::Function { .. })) {
        return request;
    }
    let mut request = request.into_owned();
    request.all_tools_mut().for_each(|tool| *tool = tool.as_function());
    Cow::Owned(request)
}

/// Lets the provider collect the arguments of all tools.
fn strip_eager(request: Cow<'_, Request>) -> Cow<'_, Request> {
    if !request.all_tools().any(|tool| matches!(tool, ToolSpec::Function { eager_arguments: true, .. })) {
        return request;
    }
    let mut request = request.into_owned();
    for tool in request.all_tools_mut() {
        if let ToolSpec::Function { eager_arguments, .. } = tool {
            *eager_arguments = false;
        }
    }
    Cow::Owned(request)
}

/// Removes the strictness from all tools.
fn strip_strict(request: Cow<'_, Request>) -> Cow<'_, Request> {
    let is_said =
        |tool: &ToolSpec| matches!(tool, ToolSpec::Function { strict, .. } if *strict != Strictness::Unsaid);
    if !request.all_tools().any(is_said) {
        return request;
    }
    let mut request = request.into_owned();
    for tool in request.all_tools_mut() {
        if let ToolSpec::Function { strict, .. } = tool {
            *strict = Strictness::Unsaid;
        }
    }
    Cow::Owned(request)
}
