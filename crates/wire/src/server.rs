//! The provider's side of a wire format: decoding of requests and encoding of responses.

use serde::Deserialize;
use serde_json::value::RawValue;
use windlass_protocol::Request;
use windlass_stream::Chunk;

use crate::{
    CallRestorer, EmbeddingsApi, EncodeError, FieldRule, Fields, HeaderRule, ProviderError, RateLimitHeaders,
    SamplingOption,
};

/// The provider's side of an API without I/O: it decodes request bytes into a request and encodes chunks into
/// response bytes.
///
/// Together with a [`Wire`](crate::Wire) for another API it forms a gateway: a decoded request is sent to the
/// other API, and the chunks of its answer are encoded for the client. Each crate of a format implements both
/// traits.
pub trait Server: Send + Sync {
    /// Returns the name of the format, which is also the name of its [`Wire`](crate::Wire).
    fn name(&self) -> &'static str;

    /// Returns the path of a client's request, as the API documents it: for recorded bodies without a path.
    fn request_path(&self) -> &'static str;

    /// Returns the framings of answers that a client can request.
    fn framings(&self) -> &'static [Framing] {
        &[Framing::Events, Framing::Whole]
    }

    /// Returns whether a path, with its query, addresses a model of this API.
    fn serves(&self, path: &str) -> bool;

    /// Returns the model's name and the framing of a request, without decoding the rest. A gateway that
    /// forwards a body in its own format needs only these.
    ///
    /// # Errors
    /// Returns an error if the path does not address a model, or the body is not an object with a model.
    fn outline(&self, path: &str, body: &[u8]) -> Result<Outline, RequestError> {
        outline_of_body(self.name(), self.serves(path), path, body)
    }

    /// Decodes a request from a client of this API. `path` is relative to the base URL and may contain a
    /// query: `/v1/messages`, `/models/gemini-2.5-flash:streamGenerateContent?alt=sse`.
    ///
    /// Every other field of the body is stored in `Request::extra`, so that the same format can encode it
    /// again.
    ///
    /// # Errors
    /// Returns an error if the path does not address a model, or the body does not have this format.
    fn decode_request(&self, path: &str, body: &[u8]) -> Result<DecodedRequest, RequestError>;

    /// Returns the fate of each known field that only this format has, for a provider of another format.
    fn field_rules(&self) -> &'static [FieldRule] {
        &[]
    }

    /// Returns the headers of this API that cross a gateway within the format.
    fn header_rules(&self) -> &'static [HeaderRule] {
        &[]
    }

    /// Returns the name of the header with the request id of an answer.
    fn request_id_header(&self) -> &'static str {
        "x-request-id"
    }

    /// Returns the names of the headers with the limits of an account.
    fn rate_limit_headers(&self) -> RateLimitHeaders {
        RateLimitHeaders::default()
    }

    /// Returns whether the format has a stop reason for an answer that failed. Otherwise a failure is an error
    /// inside the stream.
    fn has_failure_reason(&self) -> bool {
        true
    }

    /// Returns whether the servers of this API store responses and conversations, which later requests name. A gateway
    /// with a store keeps them instead.
    fn stores_responses(&self) -> bool {
        false
    }

    /// Returns the texts that a stream of answers contains, or `None` if a whole stream can lack its end.
    fn end_marks(&self) -> Option<EndMarks> {
        None
    }

    /// Returns the API of embeddings that the servers of this API have, or `None` without one.
    fn embeddings_api(&self) -> Option<EmbeddingsApi> {
        None
    }

    /// Returns the refusal of a request that needs what only a provider of this format stores, for a provider of
    /// another format. Fields are refused by [`field_rules`](Self::field_rules).
    fn refuse_elsewhere(&self, request: &Request) -> Option<ProviderError> {
        let _ = request;
        None
    }

    /// Returns the refusal of a request by the version of the API that its headers name, for a gateway that answers in the
    /// place of the API. The names of the headers are in lower case. Default: the API does not have versions.
    fn refuse_version(&self, headers: &[(String, String)], body: &[u8]) -> Option<ProviderError> {
        let _ = (headers, body);
        None
    }

    /// Moves fields of this format out of `extra` into the options that all formats share, for a provider of
    /// another format. Returns the options of sampling.
    fn share_options(&self, request: &mut Request) -> Vec<SamplingOption> {
        let _ = request;
        Vec::new()
    }

    /// Replaces tools that the client runs, and that only this format has, by functions, for a provider of
    /// another format. Returns the conversion of their calls, or `None` if calls stay as they are.
    fn share_tools(&self, request: &mut Request) -> Option<Box<dyn CallRestorer>> {
        let _ = request;
        None
    }

    /// Creates an encoder for the answer to a request, streamed or as a whole. One encoder writes one answer.
    fn encoder(&self, asked: &DecodedRequest, reply: ResponseHead) -> Box<dyn Encoder>;

    /// Encodes an error response as its status and body.
    fn encode_error(&self, error: &ProviderError) -> (u16, Vec<u8>);
}

/// Texts by which a forwarded stream shows that it is an answer, and that it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a stream answers, ends by a text, or ends by a field")]
pub struct EndMarks {
    /// Each answer contains one of these texts, also in its last 4 KiB unless its end is there.
    pub answers: &'static [&'static str],
    /// An answer that has ended contains one of these texts, or one of the fields.
    pub ends: &'static [&'static str],
    /// Names of fields that end an answer if they have a text or an object, and not `null`.
    pub end_fields: &'static [&'static str],
}

/// Encoder of one answer.
pub trait Encoder: Send {
    /// Returns the media type of the answer.
    fn content_type(&self) -> &'static str;

    /// Encodes the next chunk and appends its bytes to `bytes`. An answer with [`Framing::Whole`] is written
    /// by `finish`.
    ///
    /// Calls must arrive as `Start`, `Delta`, `End` or as `Whole`, with an id;
    /// `windlass_assemble::Normalizer` converts any chunks into this form. A chunk that the format cannot
    /// express is left out.
    ///
    /// # Errors
    /// Returns an error if the chunk cannot be encoded.
    fn push(&mut self, chunk: &Chunk, bytes: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Appends bytes that keep the connection busy while the model is silent: an event or a comment that the
    /// clients of the API ignore. The default appends nothing, as for an answer that is one body.
    fn keep_alive(&mut self, bytes: &mut Vec<u8>) {
        let _ = bytes;
    }

    /// Sets the number of input tokens that the answer reports until the provider sends its own count.
    fn expect_input_tokens(&mut self, tokens: u64) {
        let _ = tokens;
    }

    /// Ends the answer and appends its last bytes. An answer without a `Finish` chunk ends like an
    /// interrupted answer.
    ///
    /// # Errors
    /// Returns an error if the remaining content cannot be encoded.
    fn finish(&mut self, bytes: &mut Vec<u8>) -> Result<(), EncodeError>;
}

/// A decoded request of a client.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DecodedRequest {
    /// The request.
    pub request: Request,
    /// The framing of the answer.
    pub framing: Framing,
}

/// The parts of a request that select its model and the form of its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outline {
    /// The name of the model.
    pub model: String,
    /// The framing of the answer.
    pub framing: Framing,
}

/// The framing of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// As server-sent events.
    #[default]
    Events,
    /// As the elements of one JSON array (Gemini without `alt=sse`).
    Array,
    /// One body that is not streamed.
    Whole,
}

/// Metadata of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResponseHead {
    /// The answer's id, without the format's own prefix.
    pub id: String,
    /// The name of the model.
    pub model: String,
    /// The time of the answer in seconds since the Unix epoch.
    pub created: u64,
}

/// Error of decoding a client's request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The format does not serve this path.
    #[error("{path} is not a path of {wire} that asks a model")]
    Path {
        /// The name of the wire format.
        wire: &'static str,
        /// The path.
        path: String,
    },
    /// The body is not JSON.
    #[error("the request is not JSON")]
    Json(#[from] serde_json::Error),
    /// The body is valid JSON but does not have this format.
    #[error("{}{what}", prefix(.place))]
    Shape {
        /// The place of the value, such as `messages[2].content`; empty for the body itself.
        place: String,
        /// The actual and the expected value.
        what: String,
    },
}

impl DecodedRequest {
    /// Creates a decoded request with the framing of its answer.
    pub fn new(request: Request, framing: Framing) -> Self {
        Self { request, framing }
    }
}

impl Outline {
    /// Creates an outline of a request.
    pub fn new(model: impl Into<String>, framing: Framing) -> Self {
        Self { model: model.into(), framing }
    }
}

impl ResponseHead {
    /// Creates the metadata of an answer.
    pub fn new(id: impl Into<String>, model: impl Into<String>, created: u64) -> Self {
        Self { id: id.into(), model: model.into(), created }
    }
}

impl RequestError {
    /// Creates the error of a JSON value that does not have this format.
    pub fn shape(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Shape { place: place.into(), what: what.into() }
    }
}

/// Returns the outline of a body that names its model in `model` and asks for events with `stream`.
fn outline_of_body(
    wire: &'static str,
    is_served: bool,
    path: &str,
    body: &[u8],
) -> Result<Outline, RequestError> {
    if !is_served {
        return Err(RequestError::Path { wire, path: path.to_owned() });
    }
    let text = crate::decode_text(body);
    let text = text.trim_start_matches('\u{feff}');
    if let Some(outline) = read_outline(text) {
        return Ok(outline);
    }
    // Clients forward the text of models, which can have half of a surrogate pair.
    let repaired = crate::replace_lone_surrogates(text);
    let text = repaired.as_deref().unwrap_or(text);
    if let Some(outline) = repaired.as_deref().and_then(read_outline) {
        return Ok(outline);
    }
    // The rest finds the error.
    let mut fields = Fields::parse("", text)?;
    // Refuse a request with two `model` fields: a gateway cannot know which of them its provider uses.
    if serde_json::from_str::<OutlineFields<'_>>(text).is_err() {
        return Err(RequestError::shape("model", "expected once"));
    }
    let is_stream = fields.flag("stream")? == Some(true);
    let framing = if is_stream { Framing::Events } else { Framing::Whole };
    Ok(Outline::new(fields.take_required_text("model")?, framing))
}

/// Reads the outline of a valid body in one pass that keeps no other field.
fn read_outline(text: &str) -> Option<Outline> {
    // A struct can also be read from a list.
    if !text.trim_ascii_start().starts_with('{') {
        return None;
    }
    let fields: OutlineFields<'_> = serde_json::from_str(text).ok()?;
    let model: String = serde_json::from_str(fields.model?.get()).ok()?;
    let is_stream = match fields.stream {
        Some(stream) => serde_json::from_str(stream.get()).ok()?,
        None => false,
    };
    Some(Outline::new(model, if is_stream { Framing::Events } else { Framing::Whole }))
}

/// The fields of an outline. Reading them fails if one of them occurs twice.
#[derive(Deserialize)]
struct OutlineFields<'a> {
    #[serde(borrow, default)]
    model: Option<&'a RawValue>,
    #[serde(borrow, default)]
    stream: Option<&'a RawValue>,
}

/// Returns the prefix of an error message about a place in the body; empty for the body itself.
fn prefix(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("{place}: ") }
}
