//! The client side of a wire format: encoding of requests and decoding of responses.

use windlass_protocol::{Refusal, RefusalKind, Request};
use windlass_stream::Chunk;

use crate::{
    CachesApi, DecodeError, EncodeError, ExcludedOption, FilesApi, HttpRequest, ProviderError, RequestBody,
    SamplingKind, WireLimits,
};

/// A provider's API without I/O: it encodes requests into HTTP parts and decodes response bytes into chunks.
///
/// Vendors with the same API differ only in address, headers and quirks. `windlass-vendors` describes them as
/// data; they do not need a `Wire` of their own.
///
/// The feature `kit` tests a format: `kit::check_wire`.
///
/// ```
/// use windlass_protocol::Request;
/// use windlass_stream::Chunk;
/// use windlass_wire::{DecodeError, Decoder, EncodeError, HttpRequest, WireLimits, ProviderError, Wire};
///
/// /// A format in which the answer is plain text.
/// struct Plain;
/// /// Keeps the bytes, because a piece can end inside of a character.
/// struct PlainDecoder(Vec<u8>, WireLimits);
///
/// impl Wire for Plain {
///     fn name(&self) -> &'static str {
///         "plain"
///     }
///     fn encode(&self, request: &Request) -> Result<HttpRequest, EncodeError> {
///         Ok(HttpRequest::post("/ask", serde_json::to_vec(request)?))
///     }
///     fn decoder(&self, limits: WireLimits) -> Box<dyn Decoder> {
///         Box::new(PlainDecoder(Vec::new(), limits))
///     }
///     fn decode_whole(&self, body: &[u8], _limits: WireLimits, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
///         chunks.push(Chunk::text(String::from_utf8_lossy(body)));
///         Ok(())
///     }
///     fn decode_error(&self, status: u16, body: &[u8]) -> ProviderError {
///         ProviderError::not_provider(status, body)
///     }
/// }
///
/// impl Decoder for PlainDecoder {
///     fn push(&mut self, bytes: &[u8], _: &mut Vec<Chunk>) -> Result<(), DecodeError> {
///         let limit = self.1.body_bytes;
///         if bytes.len() > limit.saturating_sub(self.0.len()) {
///             return Err(DecodeError::Limit { what: "bytes of a whole body", limit });
///         }
///         self.0.extend_from_slice(bytes);
///         Ok(())
///     }
///     fn finish(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
///         Plain.decode_whole(&self.0, self.1, chunks)
///     }
/// }
///
/// let (mut decoder, mut chunks) = (Plain.decoder(WireLimits::default()), Vec::new());
/// decoder.push(b"hel", &mut chunks)?;
/// decoder.push(b"lo", &mut chunks)?;
/// decoder.finish(&mut chunks)?;
/// assert_eq!(chunks, [Chunk::text("hello")]);
/// # Ok::<(), DecodeError>(())
/// ```
pub trait Wire: Send + Sync {
    /// Returns the name of the format: `openai-chat`, `anthropic` … It labels opaque parts and recorded
    /// streams.
    fn name(&self) -> &'static str;

    /// Returns whether the format supports free-text tools. If not, a client sends them as functions
    /// ([`ToolSpec::as_function`](windlass_protocol::ToolSpec::as_function)).
    fn takes_free_text(&self) -> bool {
        true
    }

    /// Returns whether a conversation can begin with system messages beside the system prompt.
    fn takes_system_messages(&self) -> bool {
        true
    }

    /// Returns whether every server of a format with free-text tools takes them. OpenAI alone documents them in Chat
    /// Completions.
    fn has_common_free_text(&self) -> bool {
        self.takes_free_text()
    }

    /// Returns whether the format has a seed.
    fn takes_seed(&self) -> bool {
        false
    }

    /// Returns whether the format has the length of the answer's text.
    fn takes_verbosity(&self) -> bool {
        false
    }

    /// Returns the field for an option of sampling, with a point before the name of an inner field.
    fn sampling_field(&self, kind: SamplingKind) -> Option<&'static str> {
        let _ = kind;
        None
    }

    /// Removes options that the provider would refuse together with others of this request, and returns them. A gateway calls it for requests of other formats.
    fn settle_options(&self, request: &mut Request) -> Vec<ExcludedOption> {
        let _ = request;
        Vec::new()
    }

    /// Returns whether the format supports stop sequences.
    fn takes_stop_sequences(&self) -> bool {
        true
    }

    /// Returns whether a request can allow or forbid several calls in one answer.
    fn takes_parallel_calls(&self) -> bool {
        true
    }

    /// Returns whether the format can constrain an answer to JSON without a schema.
    fn takes_json_output(&self) -> bool {
        true
    }

    /// Returns the name of the header that carries the API key, or `None` for `Authorization: Bearer KEY`.
    fn key_header(&self) -> Option<&'static str> {
        None
    }

    /// Returns the headers that each request of the API has, apart from the key and the content type: the
    /// version of the API, for example. [`encode`](Self::encode) adds them to its requests.
    fn headers(&self) -> Vec<(&'static str, &str)> {
        Vec::new()
    }

    /// Returns the field of the body that holds the conversation. It is the last field.
    fn conversation_field(&self) -> &'static str {
        "messages"
    }

    /// Returns the name of the JSON Schema dialect of tools, as `windlass_schema::Dialect` spells it.
    fn schema_dialect(&self) -> &'static str {
        "openai"
    }

    /// Returns the name of the format of the API's list of models, as `windlass_vendors::Discovery` spells it.
    fn model_list(&self) -> &'static str {
        "open-ai"
    }

    /// Returns the API for files that the provider stores, or `None` if the format has none.
    fn files_api(&self) -> Option<FilesApi> {
        None
    }

    /// Returns the API for prompt caches that the provider stores, or `None` if the format has none.
    fn caches_api(&self) -> Option<&dyn CachesApi> {
        None
    }

    /// Encodes a request. Equal requests have equal bytes in every process, and the body of each turn of a
    /// conversation begins with the bytes of the previous body without its closing brackets (RULES N6).
    ///
    /// # Errors
    /// Returns an error if the format cannot express the request.
    fn encode(&self, request: &Request) -> Result<HttpRequest, EncodeError>;

    /// Encodes a request like `encode`, but extends the previous body: see
    /// [`EncodedHistory`](crate::EncodedHistory). The default implementation encodes from scratch.
    ///
    /// # Errors
    /// Returns the same errors as `encode`.
    fn encode_onto(&self, request: &Request, body: RequestBody<'_>) -> Result<HttpRequest, EncodeError> {
        let mut http = self.encode(request)?;
        http.body = body.whole(http.body);
        Ok(http)
    }

    /// Returns the reasons for which the provider would reject the request; empty if it would accept it. The
    /// default only reports a request that cannot be encoded.
    fn check(&self, request: &Request) -> Vec<Refusal> {
        match self.encode(request) {
            Ok(_) => Vec::new(),
            Err(error) => vec![Refusal::new(RefusalKind::Unsupported, "", error.to_string())],
        }
    }

    /// Creates a decoder for one streamed response (RULES S13).
    fn decoder(&self, limits: WireLimits) -> Box<dyn Decoder>;

    /// Decodes a response that was not streamed into the chunks that a stream would produce.
    ///
    /// # Errors
    /// Returns an error if the body does not have this format or exceeds a limit.
    fn decode_whole(
        &self,
        body: &[u8],
        limits: WireLimits,
        chunks: &mut Vec<Chunk>,
    ) -> Result<(), DecodeError>;

    /// Decodes the body of an error response. Never fails: a body that is not the provider's becomes
    /// [`ProviderErrorKind::NotProvider`](crate::ProviderErrorKind::NotProvider) or a retryable kind.
    fn decode_error(&self, status: u16, body: &[u8]) -> ProviderError;
}

/// Decoder of one streamed response. The chunks do not depend on how the bytes are split (RULES S14).
pub trait Decoder: Send {
    /// Decodes the next bytes and appends the resulting chunks to `chunks`.
    ///
    /// # Errors
    /// Returns an error if the bytes do not have this format or exceed a limit. Earlier chunks stay in
    /// `chunks`. The decoder must not be used after an error.
    fn push(&mut self, bytes: &[u8], chunks: &mut Vec<Chunk>) -> Result<(), DecodeError>;

    /// Decodes the end of the stream and appends the resulting chunks to `chunks`.
    ///
    /// # Errors
    /// Returns the same errors as `push`.
    fn finish(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError>;
}
