//! Options for the differences between servers and models of this format.

/// Settings in which servers and models of this format differ. The defaults fit the Gemini API.
///
/// ```
/// use windlass_wire_gemini::{Gemini, GeminiOptions, SchemaField, StreamFraming};
/// let options =
/// GeminiOptions::default().with_framing(StreamFraming::Array).with_schema_field(SchemaField::Parameters);
/// let wire = Gemini::new(options);
/// # let _ = wire;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GeminiOptions {
    /// The framing that a stream is requested in.
    pub framing: StreamFraming,
    /// The field that holds a tool's schema.
    pub schema_field: SchemaField,
    /// The encoding of a free tool choice.
    pub auto_mode: AutoMode,
    /// The model generation whose rules a request follows.
    pub rules: Rules,
}

/// The framing that a stream is requested in. The decoder accepts both framings in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamFraming {
    /// Server-sent events, requested with `alt=sse`.
    #[default]
    Events,
    /// One JSON array whose elements arrive one by one.
    Array,
}

/// The field that holds a tool's schema. The schema is sent unchanged; `windlass-schema` compiles one that
/// the API does not accept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaField {
    /// `parametersJsonSchema`, which accepts JSON Schema.
    #[default]
    ParametersJsonSchema,
    /// `parameters`, which accepts the API's own subset of `OpenAPI`. Older servers have only this field.
    Parameters,
}

/// The encoding of a free tool choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AutoMode {
    /// `VALIDATED` if the schema of a function must be enforced ([`Strictness::On`](windlass_protocol::Strictness::On)),
    /// and otherwise omitted, which the API reads as `AUTO`.
    #[default]
    Unsaid,
    /// `VALIDATED`: text or calls, but a call's arguments match its schema.
    Validated,
}

/// The model generation whose rules a request follows.
///
/// Since Gemini 3, a call in the history needs a signature. The first call of a message gets the documented
/// placeholder if it has none, which is the case if another provider made it. The images of a result are part
/// of the result. Before Gemini 3, images follow the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rules {
    /// The rules for the model's name. A name without a version counts as older than Gemini 3.
    #[default]
    ByModel,
    /// The rules before Gemini 3.
    BeforeThree,
    /// The rules since Gemini 3.
    SinceThree,
    /// No rules: images stay in their results, reasoning is sent back even without a signature, and no
    /// signature is added. For a gateway whose clients know their model's rules.
    AsGiven,
}

impl GeminiOptions {
    /// Returns options for gateways: nothing is added to a request and nothing is removed from it.
    ///
    /// ```
    /// use windlass_protocol::{Message, Request};
    /// use windlass_wire::Wire;
    /// use windlass_wire_gemini::{Gemini, GeminiOptions};
    /// let wire = Gemini::new(GeminiOptions::as_given());
    /// let http = wire.encode(&Request::new("gemini-3-pro", vec![Message::user("hi")]))?;
    /// assert_eq!(http.body.as_ref(), br#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#);
    /// # Ok::<(), windlass_wire::EncodeError>(())
    /// ```
    pub fn as_given() -> Self {
        Self::default().with_rules(Rules::AsGiven)
    }

    /// Sets the framing that a stream is requested in.
    pub fn with_framing(mut self, framing: StreamFraming) -> Self {
        self.framing = framing;
        self
    }

    /// Sets the field that holds a tool's schema.
    pub fn with_schema_field(mut self, field: SchemaField) -> Self {
        self.schema_field = field;
        self
    }

    /// Sets the encoding of a free tool choice.
    pub fn with_auto_mode(mut self, mode: AutoMode) -> Self {
        self.auto_mode = mode;
        self
    }

    /// Sets the model generation whose rules a request follows.
    pub fn with_rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }
}

impl Rules {
    /// Returns true if the rules since Gemini 3 apply to this model.
    pub(crate) fn applies_since_three(self, model: &str) -> bool {
        match self {
            Self::BeforeThree | Self::AsGiven => false,
            Self::SinceThree => true,
            Self::ByModel => {
                let name = model.rsplit('/').next().unwrap_or(model);
                let major = name.strip_prefix("gemini-").and_then(|rest| rest.split(['-', '.']).next());
                major.and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major >= 3)
            }
        }
    }
}
