//! The two traits of a wire format.

use windlass_protocol::{Refusal, RefusalKind, Request};
use windlass_stream::Chunk;

use crate::{DecodeError, EncodeError, HttpRequest, Limits, ProviderError, RequestBody};

/// A provider's API, without IO: requests to HTTP parts, response bytes to chunks.
///
/// Vendors that speak the same API differ in address, header and quirks only; they are data for
/// `windlass-client` and need no wire of their own.
///
/// ```
/// use windlass_protocol::{Refusal, RefusalKind, Request};
/// use windlass_stream::Chunk;
/// use windlass_wire::{DecodeError, Decoder, EncodeError, HttpRequest, Limits, ProviderError, Wire};
///
/// /// A format in which the answer is plain text.
/// struct Plain;
/// struct PlainDecoder;
///
/// impl Wire for Plain {
///     fn name(&self) -> &'static str {
///         "plain"
///     }
///     fn encode(&self, request: &Request) -> Result<HttpRequest, EncodeError> {
///         Ok(HttpRequest::post("/ask", serde_json::to_vec(request)?))
///     }
///     fn decoder(&self, _limits: Limits) -> Box<dyn Decoder> {
///         Box::new(PlainDecoder)
///     }
///     fn decode_whole(&self, body: &[u8], _limits: Limits, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
///         chunks.push(Chunk::text(String::from_utf8_lossy(body)));
///         Ok(())
///     }
///     fn decode_error(&self, status: u16, body: &[u8]) -> ProviderError {
///         ProviderError::not_provider(status, body)
///     }
/// }
///
/// impl Decoder for PlainDecoder {
///     fn push(&mut self, bytes: &[u8], chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
///         chunks.push(Chunk::text(String::from_utf8_lossy(bytes)));
///         Ok(())
///     }
///     fn finish(&mut self, _chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
///         Ok(())
///     }
/// }
///
/// let mut chunks = Vec::new();
/// Plain.decoder(Limits::default()).push(b"hello", &mut chunks)?;
/// assert_eq!(chunks, [Chunk::text("hello")]);
/// # Ok::<(), DecodeError>(())
/// ```
pub trait Wire: Send + Sync {
    /// The format's name: `openai-chat`, `anthropic` … It marks opaque parts and recorded streams.
    fn name(&self) -> &'static str;

    /// Returns whether the format has tools that take free text. Where it has none, a client sends them as functions
    /// ([`ToolSpec::as_function`](windlass_protocol::ToolSpec::as_function)).
    fn takes_free_text(&self) -> bool {
        true
    }

    /// Makes HTTP of a request. The same request gives the same bytes in every process, and the bytes of a
    /// conversation that goes on begin with the bytes of the turn before (RULES N6).
    ///
    /// # Errors
    /// If the request cannot be said in this format.
    fn encode(&self, request: &Request) -> Result<HttpRequest, EncodeError>;

    /// The same bytes, made on top of what is left of the body before: see
    /// [`EncodedHistory`](crate::EncodedHistory). A format that does not say it does not remember.
    ///
    /// # Errors
    /// As for `encode`.
    fn encode_onto(&self, request: &Request, body: RequestBody<'_>) -> Result<HttpRequest, EncodeError> {
        let mut http = self.encode(request)?;
        http.body = body.whole(http.body);
        Ok(http)
    }

    /// Says what the provider would refuse in a request, and why; nothing if it would take it. A request that
    /// cannot be encoded is refused for that reason.
    fn check(&self, request: &Request) -> Vec<Refusal> {
        match self.encode(request) {
            Ok(_) => Vec::new(),
            Err(error) => vec![Refusal::new(RefusalKind::Unsupported, "", error.to_string())],
        }
    }

    /// Begins to read a streamed response. One decoder reads one response (RULES S13).
    fn decoder(&self, limits: Limits) -> Box<dyn Decoder>;

    /// Reads a response that came in one body, into the chunks that a stream would have given.
    ///
    /// # Errors
    /// If the body is not of this format, or over a limit.
    fn decode_whole(&self, body: &[u8], limits: Limits, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError>;

    /// Reads the body of a refusal. It never fails: a body that is not the provider's is an answer too.
    fn decode_error(&self, status: u16, body: &[u8]) -> ProviderError;
}

/// Reads one streamed response, however its bytes are cut (RULES S14).
pub trait Decoder: Send {
    /// Takes the next bytes and adds what they mean to `chunks`.
    ///
    /// # Errors
    /// If the bytes are not of this format, or over a limit. What was read before stays in `chunks`; the
    /// decoder takes no more after an error.
    fn push(&mut self, bytes: &[u8], chunks: &mut Vec<Chunk>) -> Result<(), DecodeError>;

    /// Says that the bytes have ended, and adds what that means to `chunks`.
    ///
    /// # Errors
    /// As for `push`.
    fn finish(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError>;
}
