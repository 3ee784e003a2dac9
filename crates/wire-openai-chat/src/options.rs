//! What differs between servers of this format and is not in the request.

/// Choices in which servers of this format differ.
///
/// ```
/// use windlass_wire_openai_chat::{MaxTokensField, OpenAiChat, OpenAiChatOptions};
/// let options = OpenAiChatOptions::default().with_max_tokens_field(MaxTokensField::MaxCompletionTokens);
/// let wire = OpenAiChat::new(options);
/// # let _ = wire;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenAiChatOptions {
    /// The name of the field that limits the answer.
    pub max_tokens_field: MaxTokensField,
    /// The role that the system prompt is sent with.
    pub system_role: SystemRole,
    /// Whether a stream is asked to tell its usage.
    pub stream_usage: StreamUsage,
    /// Which thoughts of earlier answers go back.
    pub thoughts: Thoughts,
    /// The form of call ids that the server takes.
    pub call_ids: CallIds,
    /// The field in which thoughts go back.
    pub thoughts_field: ThoughtsField,
}

/// The field of a message in which thoughts go back to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThoughtsField {
    /// That in which they came. A gateway's client has them from the gateway, which writes `reasoning_content`, so a
    /// gateway names the field of the server behind it.
    #[default]
    AsCame,
    /// `reasoning_content`: DeepSeek, vLLM, Moonshot.
    ReasoningContent,
    /// `reasoning`: OpenRouter, Groq.
    Reasoning,
    /// Parts of the content, as Mistral writes them.
    Content,
}

/// The form of call ids that a server takes. An id of another form is written as a hash of it, the same in every
/// turn, in the call and in its result (RULES P1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallIds {
    /// Any text.
    #[default]
    Any,
    /// At most 40 characters, as OpenAI and Azure hold it.
    AtMostForty,
    /// Exactly nine letters and digits, as Mistral holds it.
    NineAlphanumerics,
}

/// Which thoughts of earlier answers go back to the server that gave them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Thoughts {
    /// Those that are documented to: `reasoning_content` inside a round of calls, `reasoning_details`, and
    /// Mistral's parts.
    #[default]
    Documented,
    /// All, in the field that they came in.
    AsGiven,
}

/// The name of the field that limits the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaxTokensField {
    /// `max_tokens`, which all compatible servers know.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's own reasoning models demand.
    MaxCompletionTokens,
}

/// The role that the system prompt is sent with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SystemRole {
    /// `system`, which all compatible servers know.
    #[default]
    System,
    /// `developer`, OpenAI's own newer word.
    Developer,
}

/// Whether a stream is asked to tell its usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamUsage {
    /// `stream_options.include_usage` is sent.
    #[default]
    Ask,
    /// Nothing is sent, for servers that refuse the field.
    Leave,
}

impl OpenAiChatOptions {
    /// Options that add nothing to what a request says, for gateways that hand a request on.
    pub fn as_given() -> Self {
        Self { stream_usage: StreamUsage::Leave, thoughts: Thoughts::AsGiven, ..Self::default() }
    }

    /// The same options with another form of call ids.
    pub fn with_call_ids(mut self, form: CallIds) -> Self {
        self.call_ids = form;
        self
    }

    /// The same options with another field for thoughts.
    pub fn with_thoughts_field(mut self, field: ThoughtsField) -> Self {
        self.thoughts_field = field;
        self
    }

    /// The same options with other thoughts going back.
    pub fn with_thoughts(mut self, thoughts: Thoughts) -> Self {
        self.thoughts = thoughts;
        self
    }

    /// The same options with another name of the field that limits the answer.
    pub fn with_max_tokens_field(mut self, field: MaxTokensField) -> Self {
        self.max_tokens_field = field;
        self
    }

    /// The same options with another role for the system prompt.
    pub fn with_system_role(mut self, role: SystemRole) -> Self {
        self.system_role = role;
        self
    }

    /// The same options with another way to ask for usage.
    pub fn with_stream_usage(mut self, usage: StreamUsage) -> Self {
        self.stream_usage = usage;
        self
    }
}

impl MaxTokensField {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

impl SystemRole {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
        }
    }
}
