//! Options of the format that are not part of a request.

/// Settings for requests to the Responses API that a `Request` does not have. The defaults keep no state at
/// the server and ask for encrypted reasoning.
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
    /// The storage of the answer at the server.
    pub storage: Storage,
    /// The request for reasoning in a form that can be sent back.
    pub encrypted_reasoning: EncryptedReasoning,
    /// The `strict` flag of function schemas.
    pub strict_functions: StrictFunctions,
    /// The part of the history that is sent.
    pub history: SentHistory,
}

/// The storage of the answer at the server. The whole conversation is sent in either case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Storage {
    /// Sends `store: false`: the server keeps no state, and no item ids are sent, since it could not look
    /// them up.
    #[default]
    Off,
    /// Sends `store: true`. Items are sent back with the ids that the server gave them, as Azure requires.
    On,
    /// Omits the field, for servers that refuse it.
    Unsaid,
}

/// The request for reasoning in a form that can be sent back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncryptedReasoning {
    /// Sends `include: ["reasoning.encrypted_content"]`. Without state at the server this is the only way to
    /// keep reasoning.
    #[default]
    Ask,
    /// Omits the field, for models without reasoning: OpenAI refuses the field for them.
    Leave,
}

/// The `strict` flag of functions whose tool does not set it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StrictFunctions {
    /// Sends `strict: false`. The API reads a missing flag as `true` and then refuses schemas that are not
    /// strict.
    #[default]
    Off,
    /// Sends `strict: true`, for schemas that were written for it.
    On,
    /// Omits the flag, for servers that refuse it.
    Unsaid,
}

/// The part of the history that is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SentHistory {
    /// The part that a server with this storage accepts: no item ids if it stores nothing, no reasoning that
    /// it cannot read, and no reasoning without a following item.
    #[default]
    Fitted,
    /// The whole history, for a gateway whose clients know their server's rules.
    AsGiven,
}

impl OpenAiResponsesOptions {
    /// Returns options for gateways: nothing is added to a request and nothing is removed from it. The
    /// request itself sets storage, reasoning and strictness.
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
            history: SentHistory::AsGiven,
        }
    }

    /// Sets the storage of the answer at the server.
    pub fn with_storage(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// Sets the request for encrypted reasoning.
    pub fn with_encrypted_reasoning(mut self, reasoning: EncryptedReasoning) -> Self {
        self.encrypted_reasoning = reasoning;
        self
    }

    /// Sets the `strict` flag of functions whose tool does not set it.
    pub fn with_strict_functions(mut self, strict: StrictFunctions) -> Self {
        self.strict_functions = strict;
        self
    }

    /// Sets the part of the history that is sent.
    pub fn with_history(mut self, history: SentHistory) -> Self {
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
