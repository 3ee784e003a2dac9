//! The other side of a wire format: what a provider reads and writes.

use windlass_protocol::Request;
use windlass_stream::Chunk;

use crate::{EncodeError, ProviderError};

/// The provider's side of an API, without IO: request bytes to a request, chunks to response bytes.
///
/// With a [`Wire`](crate::Wire) for another API it makes a gateway: what one side asks, the other is asked, and the
/// chunks of the answer go back. Each crate of a format has both.
pub trait Server: Send + Sync {
    /// The format's name, the same as its [`Wire`](crate::Wire)'s.
    fn name(&self) -> &'static str;

    /// Reads a request as this API's clients send it. `path` stands below the base and may have a query:
    /// `/v1/messages`, `/models/gemini-2.5-flash:streamGenerateContent?alt=sse`.
    ///
    /// What has a word in `Request` is read into it; every other field of the body is kept in `Request::extra`, so
    /// that the same format writes it again.
    ///
    /// # Errors
    /// If the path is not one that asks a model, or the body is not of this format.
    fn decode_request(&self, path: &str, body: &[u8]) -> Result<Asked, RequestError>;

    /// Begins to write the answer to what was asked, as a stream or as a whole. One encoder writes one answer.
    fn encoder(&self, asked: &Asked, reply: Reply) -> Box<dyn Encoder>;

    /// Writes a refusal: its status and its body.
    fn encode_error(&self, error: &ProviderError) -> (u16, Vec<u8>);
}

/// Writes one answer.
pub trait Encoder: Send {
    /// The media type of the answer.
    fn content_type(&self) -> &'static str;

    /// Takes the next chunk and adds its bytes to `bytes`; an answer that goes out as a whole adds none yet.
    ///
    /// A call comes as `Start`, `Delta`, `End` or as `Whole`, with its id: `windlass_assemble::Normalizer` makes
    /// these of any chunks. What the format has no word for is left out.
    ///
    /// # Errors
    /// If the chunk cannot be written.
    fn push(&mut self, chunk: &Chunk, bytes: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Ends the answer and adds its last bytes. An answer without a `Finish` ends as one that broke off.
    ///
    /// # Errors
    /// If what is left cannot be written.
    fn finish(&mut self, bytes: &mut Vec<u8>) -> Result<(), EncodeError>;
}

/// A request as a client sent it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Asked {
    /// What is asked.
    pub request: Request,
    /// In which form the answer goes out.
    pub framing: Framing,
}

/// In which form an answer goes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// As server-sent events.
    #[default]
    Events,
    /// As the elements of one JSON array (Gemini without `alt=sse`).
    Array,
    /// In one body.
    Whole,
}

/// What an answer says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply {
    /// The answer's id, without the format's own prefix.
    pub id: String,
    /// The model that answers.
    pub model: String,
    /// When, in seconds since 1970.
    pub created: u64,
}

/// Why bytes are not a request of this format.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// Nothing of this format is served there.
    #[error("{path} is not a path of {wire} that asks a model")]
    Path {
        /// The wire format.
        wire: &'static str,
        /// The path.
        path: String,
    },
    /// The body is not JSON.
    #[error("the request is not JSON")]
    Json(#[from] serde_json::Error),
    /// The body is JSON, but not of this format.
    #[error("{}{what}", prefix(.place))]
    Shape {
        /// Where, as `messages[2].content`; empty for the body itself.
        place: String,
        /// What was met and what is wanted.
        what: String,
    },
}

impl Asked {
    /// A request, with the form in which its answer goes out.
    pub fn new(request: Request, framing: Framing) -> Self {
        Self { request, framing }
    }
}

impl Reply {
    /// What an answer says about itself.
    pub fn new(id: impl Into<String>, model: impl Into<String>, created: u64) -> Self {
        Self { id: id.into(), model: model.into(), created }
    }
}

impl RequestError {
    /// A body that is JSON and not of this format.
    pub fn shape(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Shape { place: place.into(), what: what.into() }
    }
}

/// The words before a complaint about a place. The body itself has no name.
fn prefix(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("{place}: ") }
}
