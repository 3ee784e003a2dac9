//! The differences between formats that a gateway between two of them must know.

use serde_json::{Map, Value};
use windlass_protocol::{Effort, Request};
use windlass_stream::Chunk;

/// The fate of a field in a request to another format. Within its own format every field is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldFate {
    /// It becomes a field of the other format, where that has one, and is otherwise left out and named.
    Translated,
    /// The request is refused, because another model would answer without the conversation, or the answer would
    /// not have the requested form.
    Refused,
    /// The gateway's own store acts on it. Without a store the request is refused.
    Stored,
    /// The request is refused, or a lenient gateway leaves the field out and names it: it changes the way in which an answer
    /// is drawn. A value without an effect is left out.
    Lenient,
    /// It is left out and named: it is about billing, storage, caches or limits, and the answer does not depend on it.
    LeftOut,
}

/// The values of a field that change an answer. All others have no effect, and no request is refused because of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldEffect {
    /// Each value but null, false, zero, and empty ones.
    #[default]
    Set,
    /// Each set value but this one, which is the default of the API.
    Unless(&'static str),
    /// An object with this member, unless its value is the default of the API.
    Member {
        /// The name of the member.
        name: &'static str,
        /// The value without an effect.
        unless: &'static str,
    },
    /// An object, also an empty one.
    Object,
    /// A list with this item.
    Item(&'static str),
    /// A number other than one.
    Several,
    /// A list of kinds of content, unless text is the only one.
    OtherThanText,
    /// Edits of the conversation by the API, if one of them is due.
    DueEdits,
    /// Each value but this one, if the conversation has pictures or files.
    WithMedia {
        /// The value without an effect.
        unless: &'static str,
    },
    /// A list of settings, if one of them demands a filter. A filter that is switched off is met without it.
    Filters,
}

/// A field of one format and its fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldRule {
    /// The name, with a point before the name of an inner field.
    pub field: &'static str,
    /// The fate.
    pub fate: FieldFate,
    /// A value in JSON that has an effect.
    pub sample: &'static str,
    /// The reason why an answer does not depend on the field, if it is left out.
    pub reason: &'static str,
    /// The values that change an answer. If a field that is left out has another effect than [`FieldEffect::Set`], a
    /// request with such a value is refused.
    pub effect: FieldEffect,
}

/// The direction in which a header crosses a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "to the provider or to the client")]
pub enum HeaderDirection {
    /// From the client to the provider.
    Up,
    /// From the provider to the client.
    Down,
}

/// A header that crosses a gateway within one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderRule {
    /// The direction.
    pub direction: HeaderDirection,
    /// The name in lower case. A name that ends in `*` is a prefix.
    pub name: &'static str,
}

/// The names of the headers with the limits of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "each format has names for these four")]
pub struct RateLimitHeaders {
    /// The limit of requests.
    pub request_limit: &'static str,
    /// The remaining requests.
    pub requests_left: &'static str,
    /// The limit of tokens.
    pub token_limit: &'static str,
    /// The remaining tokens.
    pub tokens_left: &'static str,
}

/// The API of embeddings that the servers of a format have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmbeddingsApi {
    /// `/v1/embeddings`.
    OpenAi,
    /// `models/ID:embedContent` and `models/ID:batchEmbedContents`.
    Gemini,
}

/// An option of sampling that [`RequestOptions`](windlass_protocol::RequestOptions) does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SamplingKind {
    /// The number of the most likely tokens from which one is sampled.
    TopK,
    /// The penalty for each earlier occurrence of a token.
    FrequencyPenalty,
    /// The penalty for a token that occurred.
    PresencePenalty,
}

/// An option of sampling in a client's request.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an option has a kind, a name and a value")]
pub struct SamplingOption {
    /// The kind.
    pub kind: SamplingKind,
    /// The name in the client's format.
    pub name: &'static str,
    /// The value.
    pub value: Value,
}

/// An option that a provider would refuse beside the others of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExcludedOption {
    /// The temperature.
    Temperature,
    /// The share of the most likely tokens from which one is sampled.
    TopP,
    /// The number of the most likely tokens from which one is sampled.
    TopK,
    /// The effort of thoughts.
    ReasoningEffort,
}

/// The conversion of calls of functions into the client's own form of calls.
pub trait CallRestorer: Send {
    /// Converts the next chunk and appends the result to `out`. Calls must arrive as `Start`, `Delta`, `End`, or
    /// as `Whole`.
    fn push(&mut self, chunk: Chunk, out: &mut Vec<Chunk>);
}

impl FieldRule {
    /// Creates the rule of a field.
    pub const fn new(field: &'static str, fate: FieldFate, sample: &'static str) -> Self {
        Self { field, fate, sample, reason: "", effect: FieldEffect::Set }
    }

    /// Creates the rule of a field that is left out, with the reason why an answer does not depend on it.
    pub const fn left_out(field: &'static str, sample: &'static str, reason: &'static str) -> Self {
        Self { field, fate: FieldFate::LeftOut, sample, reason, effect: FieldEffect::Set }
    }

    /// Sets the values that change an answer.
    pub const fn with_effect(mut self, effect: FieldEffect) -> Self {
        self.effect = effect;
        self
    }
}

impl ExcludedOption {
    /// Returns the name in reports of what a request lost.
    pub fn name(self) -> &'static str {
        match self {
            Self::Temperature => "temperature",
            Self::TopP => "top_p",
            Self::TopK => "top_k",
            Self::ReasoningEffort => "reasoning effort",
        }
    }
}

impl HeaderRule {
    /// Creates the rule of a header from the client to the provider.
    pub const fn to_provider(name: &'static str) -> Self {
        Self { direction: HeaderDirection::Up, name }
    }

    /// Creates the rule of a header from the provider to the client.
    pub const fn to_client(name: &'static str) -> Self {
        Self { direction: HeaderDirection::Down, name }
    }
}

impl Default for RateLimitHeaders {
    /// The names of OpenAI, which most providers use.
    fn default() -> Self {
        Self {
            request_limit: "x-ratelimit-limit-requests",
            requests_left: "x-ratelimit-remaining-requests",
            token_limit: "x-ratelimit-limit-tokens",
            tokens_left: "x-ratelimit-remaining-tokens",
        }
    }
}

impl RateLimitHeaders {
    /// Returns the four names, in the order of the fields.
    pub fn names(&self) -> [&'static str; 4] {
        [self.request_limit, self.requests_left, self.token_limit, self.tokens_left]
    }
}

/// Removes the client's tools that are not among `names`, for a format that cannot restrict a choice to some tools. Returns
/// false and changes nothing if a name is not one of these tools, or if the provider has tools of its own to choose from.
pub fn keep_tools(request: &mut Request, names: &[&str]) -> bool {
    let is_offered = |name: &&str| request.tools.iter().any(|tool| tool.name().as_str() == *name);
    if names.is_empty() || !request.options.hosted_tools.is_empty() || !names.iter().all(is_offered) {
        return false;
    }
    request.tools.retain(|tool| names.contains(&tool.name().as_str()));
    true
}

/// Takes a field out of an object if its value can be read, and leaves any other value in place, so that a translation names it
/// as lost.
///
/// ```
/// use serde_json::{Value, json};
/// let mut options = json!({ "seed": 7, "top_p": "high" });
/// let options = options.as_object_mut().ok_or("an object")?;
/// assert_eq!(windlass_wire::take_field(options, "seed", Value::as_u64), Some(7));
/// assert_eq!(windlass_wire::take_field(options, "top_p", Value::as_f64), None);
/// assert_eq!(options.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn take_field<T>(
    fields: &mut Map<String, Value>,
    name: &str,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Option<T> {
    let value = read(fields.get(name)?)?;
    fields.remove(name);
    Some(value)
}

/// Reads a level of reasoning effort by its name at OpenAI and Anthropic.
pub fn read_effort(word: &Value) -> Option<Effort> {
    match word.as_str()? {
        "xhigh" => Some(Effort::Max),
        word => word.parse().ok(),
    }
}
