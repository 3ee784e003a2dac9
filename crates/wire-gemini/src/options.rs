//! What differs between servers and models that speak this format.

/// What differs between servers and models that speak this format. The defaults are the Gemini API's.
///
/// ```
/// use windlass_wire_gemini::{Framing, Gemini, GeminiOptions, SchemaField};
/// let options = GeminiOptions::default().with_framing(Framing::Array).with_schema_field(SchemaField::Parameters);
/// let wire = Gemini::new(options);
/// # let _ = wire;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GeminiOptions {
    /// How a stream is asked for.
    pub framing: Framing,
    /// The field in which a tool's schema goes.
    pub schema_field: SchemaField,
    /// How the choice that is left to the model is said.
    pub auto_mode: AutoMode,
    /// Which generation's rules a request follows.
    pub rules: Rules,
}

/// How a stream is asked for. The decoder takes both, whatever was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// Server-sent events, with `alt=sse`.
    #[default]
    Events,
    /// One JSON array whose elements arrive one by one.
    Array,
}

/// The field in which a tool's schema goes. It goes as it is; a schema that the API cannot take is compiled
/// before, by `windlass-schema`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaField {
    /// `parametersJsonSchema`, which takes JSON Schema.
    #[default]
    ParametersJsonSchema,
    /// `parameters`, which takes the API's own subset of `OpenAPI`. Older servers know no other.
    Parameters,
}

/// How the choice that is left to the model is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AutoMode {
    /// Not at all, which is `AUTO`.
    #[default]
    Unsaid,
    /// As `VALIDATED`: words or calls, but a call keeps to its schema.
    Validated,
}

/// Which generation's rules a request follows.
///
/// Since Gemini 3 a call in the history needs a signature, so the first call of a message that has none, from
/// another provider, gets the word that the documentation gives for it; and pictures stand inside the result
/// that has them. Before, pictures follow the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rules {
    /// Those of the model's name; a name that does not say it is taken for an older one.
    #[default]
    ByModel,
    /// Those before Gemini 3.
    BeforeThree,
    /// Those since Gemini 3.
    SinceThree,
    /// None: pictures stand where they came, thoughts go back without a signature too, and no signature is made up.
    /// For a gateway whose clients know what their model takes.
    AsGiven,
}

impl GeminiOptions {
    /// Options that add nothing to a request and take nothing from it, for gateways.
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

    /// The same options with another way to ask for a stream.
    pub fn with_framing(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    /// The same options with another field for schemas.
    pub fn with_schema_field(mut self, field: SchemaField) -> Self {
        self.schema_field = field;
        self
    }

    /// The same options with another word for the choice that is left to the model.
    pub fn with_auto_mode(mut self, mode: AutoMode) -> Self {
        self.auto_mode = mode;
        self
    }

    /// The same options with the rules of one generation.
    pub fn with_rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }
}

impl Rules {
    /// Whether the rules since Gemini 3 hold for this model.
    pub(crate) fn since_three(self, model: &str) -> bool {
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
