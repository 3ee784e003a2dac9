//! The ways in which servers differ that speak the same format, each under a name.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use windlass_protocol::{CallId, Message, Part, Request, Strictness, ToolSpec};

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
            | Self::NoStrict => return None,
        })
    }

    /// The request as it may be said with this quirk.
    pub(crate) fn rewrite(self, request: Cow<'_, Request>) -> Cow<'_, Request> {
        match self {
            Self::CallIdsOfNine => short_ids(request),
            Self::NoReasoningContent => without_reasoning_content(request),
            Self::NoStrict => without_strict(request),
            _ => request,
        }
    }
}

/// The request with ids of nine letters and digits, each always made of the same id in the same way (RULES P1).
fn short_ids(request: Cow<'_, Request>) -> Cow<'_, Request> {
    let fits =
        |id: &CallId| id.as_str().len() == 9 && id.as_str().bytes().all(|byte| byte.is_ascii_alphanumeric());
    let ids = || request.messages.iter().flat_map(|message| &message.parts).filter_map(call_id);
    if ids().all(fits) {
        return request;
    }
    let mut taken: HashSet<String> = ids().filter(|id| fits(id)).map(|id| id.as_str().to_owned()).collect();
    let mut map = std::collections::HashMap::new();
    for id in ids().filter(|id| !fits(id)) {
        if !map.contains_key(id) {
            let short =
                (0_u32..1_000).map(|round| nine(id.as_str(), round)).find(|short| !taken.contains(short));
            let short = short.unwrap_or_default();
            taken.insert(short.clone());
            map.insert(id.clone(), short);
        }
    }
    let mut request = request.into_owned();
    for part in request.messages.iter_mut().flat_map(|message: &mut Message| &mut message.parts) {
        let id = match part {
            Part::Call(call) => &mut call.id,
            Part::Result(result) => &mut result.call,
            _ => continue,
        };
        if let Some(Ok(short)) = map.get(id).map(|short| CallId::new(short.clone())) {
            *id = short;
        }
    }
    Cow::Owned(request)
}

fn call_id(part: &Part) -> Option<&CallId> {
    match part {
        Part::Call(call) => Some(&call.id),
        Part::Result(result) => Some(&result.call),
        _ => None,
    }
}

/// Nine letters and digits of an id: FNV-1a, which every process computes alike, in base 36.
fn nine(id: &str, round: u32) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let start = round.to_le_bytes().into_iter().fold(0xcbf2_9ce4_8422_2325, step);
    let mut hash = id.bytes().fold(start, step);
    let mut text = String::with_capacity(9);
    for _ in 0..9 {
        let digit = usize::try_from(hash % 36).ok().and_then(|at| DIGITS.get(at)).copied().unwrap_or(b'0');
        text.push(char::from(digit));
        hash /= 36;
    }
    text
}

/// The request without the thoughts that came as `reasoning_content` and would go back so.
fn without_reasoning_content(request: Cow<'_, Request>) -> Cow<'_, Request> {
    let is_such = |part: &Part| match part {
        Part::Reasoning(reasoning) => {
            let opaque = reasoning.opaque.as_ref().and_then(|opaque| opaque.of("openai-chat"));
            opaque.and_then(|opaque| opaque.get("field")?.as_str()) == Some("reasoning_content")
        }
        _ => false,
    };
    if !request.messages.iter().any(|message| message.parts.iter().any(is_such)) {
        return request;
    }
    let mut request = request.into_owned();
    for message in request.messages.iter_mut() {
        message.parts.retain(|part| !is_such(part));
    }
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
