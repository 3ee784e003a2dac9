//! What a request to this API needs beside the conversation.

use windlass_protocol::RawJson;

/// What a request to this API needs beside the conversation.
///
/// ```
/// use windlass_wire_openai_responses::{OpenAiResponses, OpenAiResponsesOptions};
/// let options = OpenAiResponsesOptions::default().with_hosted_tools([r#"{"type":"web_search"}"#.parse()?]);
/// let wire = OpenAiResponses::new(options);
/// # let _ = wire;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenAiResponsesOptions {
    /// Whether the server keeps the answer.
    pub storage: Storage,
    /// Whether thoughts are asked for in a form that can be sent back.
    pub encrypted_reasoning: EncryptedReasoning,
    /// What is said of the schemas of functions.
    pub strict_functions: StrictFunctions,
    /// Tools that the server itself runs or defines, as it documents them; they stand after the request's own.
    pub hosted_tools: Vec<RawJson>,
}

/// Whether the server keeps the answer. The whole conversation is sent in either case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Storage {
    /// `store: false`: nothing stays at the server, and no id of an item is sent that it could look up.
    #[default]
    Off,
    /// `store: true`; items go back with the ids that the server gave them, as Azure wants.
    On,
    /// Nothing is said, for servers that refuse the field.
    Unsaid,
}

/// Whether thoughts are asked for in a form that can be sent back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncryptedReasoning {
    /// `include: ["reasoning.encrypted_content"]`. Without state at the server there is no other way to keep them.
    #[default]
    Ask,
    /// Nothing is sent, for models that do not think: OpenAI refuses to encrypt what they do not have.
    Leave,
}

/// What is said of the schemas of functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StrictFunctions {
    /// `strict: false`. The API takes a missing word for `true`, and refuses schemas that are not strict then.
    #[default]
    Off,
    /// `strict: true`, for schemas that were made for it.
    On,
    /// Nothing is said, for servers that refuse the field.
    Unsaid,
}

impl OpenAiResponsesOptions {
    /// The same options with another word on whether the server keeps the answer.
    pub fn with_storage(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// The same options with another word on encrypted thoughts.
    pub fn with_encrypted_reasoning(mut self, reasoning: EncryptedReasoning) -> Self {
        self.encrypted_reasoning = reasoning;
        self
    }

    /// The same options with another word on the schemas of functions.
    pub fn with_strict_functions(mut self, strict: StrictFunctions) -> Self {
        self.strict_functions = strict;
        self
    }

    /// The same options with these tools of the server.
    pub fn with_hosted_tools(mut self, tools: impl IntoIterator<Item = RawJson>) -> Self {
        self.hosted_tools = tools.into_iter().collect();
        self
    }
}

impl Storage {
    pub(crate) fn flag(self) -> Option<bool> {
        match self {
            Self::Off => Some(false),
            Self::On => Some(true),
            Self::Unsaid => None,
        }
    }
}

impl StrictFunctions {
    pub(crate) fn flag(self) -> Option<bool> {
        match self {
            Self::Off => Some(false),
            Self::On => Some(true),
            Self::Unsaid => None,
        }
    }
}
