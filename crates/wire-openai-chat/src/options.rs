//! Options for the differences between servers of this format.

/// Settings in which servers of this format differ. The defaults fit most compatible servers.
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
    /// The role of the system prompt.
    pub system_role: SystemRole,
    /// The request for token usage in a stream.
    pub stream_usage: StreamUsage,
    /// The reasoning of earlier answers that is sent back.
    pub thoughts: Thoughts,
    /// The form of call ids that the server accepts.
    pub call_ids: CallIds,
    /// The field in which reasoning is sent back.
    pub thoughts_field: ThoughtsField,
    /// The models that take `web_search_options`.
    pub web_search: WebSearchModels,
}

/// The models of a server that take the field `web_search_options`. A search in the web is refused for other models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WebSearchModels {
    /// The models with `-search-` in their name, as OpenAI calls them.
    #[default]
    ByName,
    /// All models.
    All,
}

/// The field of a message in which reasoning is sent back to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThoughtsField {
    /// The field in which it was received. A gateway's client receives it as `reasoning_content` from the gateway, so
    /// a gateway sets the field that its upstream uses.
    #[default]
    AsCame,
    /// `reasoning_content`: DeepSeek, vLLM, Moonshot.
    ReasoningContent,
    /// `reasoning`: OpenRouter, Groq.
    Reasoning,
    /// Parts of the content, as Mistral writes them.
    Content,
}

/// The form of call ids that a server accepts. An id of another form is replaced by a hash of it, which is
/// the same in every turn, in the call and in its result (RULES P1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallIds {
    /// Any text.
    #[default]
    Any,
    /// At most 40 characters, the limit of OpenAI and Azure.
    AtMostForty,
    /// Exactly nine letters and digits, the rule of Mistral.
    NineAlphanumerics,
}

/// The reasoning of earlier answers that is sent back to the server that produced it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Thoughts {
    /// The reasoning that a provider documents as input: `reasoning_content` inside a round of calls,
    /// `reasoning_details`, and Mistral's parts.
    #[default]
    Documented,
    /// All reasoning.
    AsGiven,
}

/// The name of the field that limits the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaxTokensField {
    /// `max_tokens`, which all compatible servers accept.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's own reasoning models require.
    MaxCompletionTokens,
}

/// The role of the system prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SystemRole {
    /// `system`, which all compatible servers accept.
    #[default]
    System,
    /// `developer`, OpenAI's newer name.
    Developer,
}

/// The request for token usage in a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamUsage {
    /// Sends `stream_options.include_usage`.
    #[default]
    Ask,
    /// Omits the field, for servers that refuse it.
    Leave,
}

impl OpenAiChatOptions {
    /// Returns options for gateways that forward requests: nothing is added to a request, and all reasoning
    /// is kept.
    pub fn as_given() -> Self {
        Self { stream_usage: StreamUsage::Leave, thoughts: Thoughts::AsGiven, ..Self::default() }
    }

    /// Sets the form of call ids.
    pub fn with_call_ids(mut self, form: CallIds) -> Self {
        self.call_ids = form;
        self
    }

    /// Sets the field in which reasoning is sent back.
    pub fn with_thoughts_field(mut self, field: ThoughtsField) -> Self {
        self.thoughts_field = field;
        self
    }

    /// Sets the models that take `web_search_options`.
    pub fn with_web_search(mut self, models: WebSearchModels) -> Self {
        self.web_search = models;
        self
    }

    /// Sets the reasoning that is sent back.
    pub fn with_thoughts(mut self, thoughts: Thoughts) -> Self {
        self.thoughts = thoughts;
        self
    }

    /// Sets the name of the field that limits the answer.
    pub fn with_max_tokens_field(mut self, field: MaxTokensField) -> Self {
        self.max_tokens_field = field;
        self
    }

    /// Sets the role of the system prompt.
    pub fn with_system_role(mut self, role: SystemRole) -> Self {
        self.system_role = role;
        self
    }

    /// Sets the request for token usage.
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
