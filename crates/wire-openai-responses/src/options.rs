//! What a request to this API needs beside the conversation.

/// What a request to this API needs beside the conversation.
///
/// ```
/// use windlass_wire_openai_responses::{OpenAiResponses, OpenAiResponsesOptions, Storage};
/// let options = OpenAiResponsesOptions::default().with_storage(Storage::On);
/// let wire = OpenAiResponses::new(options);
/// # let _ = wire;
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
    /// How much of the history goes back.
    pub history: History,
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

/// How much of the history goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum History {
    /// What a server of this storage takes: no ids of items where it keeps nothing, no thoughts that it cannot read
    /// or that nothing follows.
    #[default]
    Fitted,
    /// All of it, for a gateway whose clients know what their server takes.
    AsGiven,
}

impl OpenAiResponsesOptions {
    /// Options that add nothing to a request and take nothing from it, for gateways: what is to be said of storage,
    /// thoughts and schemas stands in the request.
    ///
    /// ```
    /// use windlass_protocol::{Message, Request};
    /// use windlass_wire::Wire;
    /// use windlass_wire_openai_responses::{OpenAiResponses, OpenAiResponsesOptions};
    /// let wire = OpenAiResponses::new(OpenAiResponsesOptions::as_given());
    /// let http = wire.encode(&Request::new("gpt-5", vec![Message::user("hi")]))?;
    /// assert_eq!(http.body.as_ref(), br#"{"model":"gpt-5","stream":true,"input":[{"role":"user","content":"hi"}]}"#);
    /// # Ok::<(), windlass_wire::EncodeError>(())
    /// ```
    pub fn as_given() -> Self {
        Self {
            storage: Storage::Unsaid,
            encrypted_reasoning: EncryptedReasoning::Leave,
            strict_functions: StrictFunctions::Unsaid,
            history: History::AsGiven,
        }
    }

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

    /// The same options with another word on the history.
    pub fn with_history(mut self, history: History) -> Self {
        self.history = history;
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
