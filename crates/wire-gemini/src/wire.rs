//! The type that implements the format.

use windlass_protocol::{Refusal, Request};
use windlass_stream::Chunk;
use windlass_wire::{
    CachesApi, DecodeError, Decoder, EncodeError, EncodedHistory, FilesApi, HttpRequest, ProviderError,
    RequestBody, SamplingKind, Wire, WireLimits,
};

use crate::GeminiOptions;
use crate::names::NAME;

/// The wire format of Google Gemini's `generateContent` and `streamGenerateContent`, which the Gemini API and
/// Vertex AI serve.
///
/// `Gemini` implements `Wire`, the client's side (requests out, answers in), and `Server`, the provider's
/// side (requests in, answers out).
///
/// ```
/// use windlass_protocol::{Message, Request};
/// use windlass_wire::Wire;
/// use windlass_wire_gemini::Gemini;
///
/// let http = Gemini::default().encode(&Request::new("gemini-2.5-flash", vec![Message::user("hello")]))?;
/// assert_eq!(http.path, "/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
/// assert_eq!(http.body.as_ref(), br#"{"contents":[{"role":"user","parts":[{"text":"hello"}]}]}"#);
/// # Ok::<(), windlass_wire::EncodeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gemini {
    options: GeminiOptions,
}

impl Gemini {
    /// Creates the format with the given options.
    pub fn new(options: GeminiOptions) -> Self {
        Self { options }
    }
}

impl Wire for Gemini {
    fn name(&self) -> &'static str {
        NAME
    }

    fn takes_free_text(&self) -> bool {
        false
    }

    fn takes_seed(&self) -> bool {
        true
    }

    fn sampling_field(&self, kind: SamplingKind) -> Option<&'static str> {
        match kind {
            SamplingKind::TopK => Some("generationConfig.topK"),
            SamplingKind::FrequencyPenalty => Some("generationConfig.frequencyPenalty"),
            SamplingKind::PresencePenalty => Some("generationConfig.presencePenalty"),
            _ => None,
        }
    }

    fn takes_system_messages(&self) -> bool {
        false
    }

    fn takes_parallel_calls(&self) -> bool {
        false
    }

    fn key_header(&self) -> Option<&'static str> {
        Some("x-goog-api-key")
    }

    fn conversation_field(&self) -> &'static str {
        "contents"
    }

    /// The request field that holds schemas takes JSON Schema.
    fn schema_dialect(&self) -> &'static str {
        "gemini-json-schema"
    }

    fn model_list(&self) -> &'static str {
        "gemini"
    }

    fn files_api(&self) -> Option<FilesApi> {
        // https://ai.google.dev/api/files.
        Some(FilesApi::resumable("/files", 2_000_000_000))
    }

    fn caches_api(&self) -> Option<&dyn CachesApi> {
        Some(self)
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
        Box::new(crate::decode::GeminiDecoder::new(limits))
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
