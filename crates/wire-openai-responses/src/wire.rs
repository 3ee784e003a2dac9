//! The type that implements the format.

use windlass_protocol::{Refusal, Request};
use windlass_stream::Chunk;
use windlass_wire::{
    DecodeError, Decoder, EncodeError, EncodedHistory, EventDecoder, FilesApi, HttpRequest, ProviderError,
    RequestBody, Wire, WireLimits,
};

use crate::OpenAiResponsesOptions;
use crate::names::NAME;
use crate::reader::Reader;

/// The wire format of OpenAI's Responses API.
///
/// `OpenAiResponses` implements `Wire`, the client's side (requests out, answers in), and `Server`, the
/// provider's side (requests in, answers out).
///
/// ```
/// use windlass_protocol::{Message, Request};
/// use windlass_wire::Wire;
/// use windlass_wire_openai_responses::OpenAiResponses;
///
/// let http = OpenAiResponses::default().encode(&Request::new("gpt-5-mini", vec![Message::user("hello")]))?;
/// assert_eq!(http.path, "/responses");
/// assert!(http.body.ends_with(br#""input":[{"role":"user","content":"hello"}]}"#));
/// # Ok::<(), windlass_wire::EncodeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenAiResponses {
    options: OpenAiResponsesOptions,
}

impl OpenAiResponses {
    /// Creates the format with the given options.
    pub fn new(options: OpenAiResponsesOptions) -> Self {
        Self { options }
    }
}

impl Wire for OpenAiResponses {
    fn name(&self) -> &'static str {
        NAME
    }

    fn takes_stop_sequences(&self) -> bool {
        false
    }

    fn takes_verbosity(&self) -> bool {
        true
    }

    fn conversation_field(&self) -> &'static str {
        "input"
    }

    fn files_api(&self) -> Option<FilesApi> {
        // https://platform.openai.com/docs/api-reference/files/create.
        Some(FilesApi::multipart("/v1/files", &[("purpose", "user_data")], 512_000_000))
    }

    fn encode(&self, request: &Request) -> Result<HttpRequest, EncodeError> {
        EncodedHistory::new().encode(self, request)
    }

    fn encode_onto(&self, request: &Request, body: RequestBody<'_>) -> Result<HttpRequest, EncodeError> {
        crate::encode::encode(&self.options, request, body)
    }

    fn check(&self, request: &Request) -> Vec<Refusal> {
        crate::lint::check(&self.options, request)
    }

    fn decoder(&self, limits: WireLimits) -> Box<dyn Decoder> {
        Box::new(EventDecoder::<Reader>::new(limits))
    }

    fn decode_whole(
        &self,
        body: &[u8],
        limits: WireLimits,
        chunks: &mut Vec<Chunk>,
    ) -> Result<(), DecodeError> {
        crate::whole::decode_whole(body, limits, chunks)
    }

    fn decode_error(&self, status: u16, body: &[u8]) -> ProviderError {
        crate::error::decode_error(status, body)
    }
}
