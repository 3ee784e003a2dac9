//! The type that implements the format.

use windlass_protocol::{Refusal, Request};
use windlass_stream::Chunk;
use windlass_wire::{
    DecodeError, Decoder, EncodeError, EncodedHistory, EventDecoder, ExcludedOption, FilesApi, HttpRequest,
    ProviderError, RequestBody, SamplingKind, Wire, WireLimits,
};

use crate::AnthropicOptions;
use crate::names::NAME;
use crate::parameters::settle;
use crate::reader::Reader;

/// The wire format of Anthropic's Messages API.
///
/// `Anthropic` implements `Wire`, the client's side (requests out, answers in), and `Server`, the provider's
/// side (requests in, answers out).
///
/// ```
/// use windlass_protocol::{Message, Request};
/// use windlass_wire::Wire;
/// use windlass_wire_anthropic::Anthropic;
///
/// let http = Anthropic::default().encode(&Request::new("claude-sonnet-4-6", vec![Message::user("hello")]))?;
/// assert_eq!(http.path, "/v1/messages");
/// assert!(http.body.ends_with(br#""messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}]}"#));
/// # Ok::<(), windlass_wire::EncodeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anthropic {
    options: AnthropicOptions,
}

impl Anthropic {
    /// Creates the format with the given options.
    pub fn new(options: AnthropicOptions) -> Self {
        Self { options }
    }
}

impl Wire for Anthropic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn takes_free_text(&self) -> bool {
        false
    }

    fn takes_json_output(&self) -> bool {
        false
    }

    fn sampling_field(&self, kind: SamplingKind) -> Option<&'static str> {
        (kind == SamplingKind::TopK).then_some("top_k")
    }

    fn settle_options(&self, request: &mut Request) -> Vec<ExcludedOption> {
        settle(&self.options, request)
    }

    fn key_header(&self) -> Option<&'static str> {
        Some("x-api-key")
    }

    fn headers(&self) -> Vec<(&'static str, &str)> {
        vec![("anthropic-version", self.options.version.as_str())]
    }

    fn schema_dialect(&self) -> &'static str {
        "anthropic"
    }

    fn model_list(&self) -> &'static str {
        "anthropic"
    }

    fn files_api(&self) -> Option<FilesApi> {
        // https://platform.claude.com/docs/en/build-with-claude/files.
        Some(FilesApi::multipart("/v1/files", &[], 500_000_000))
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
        Reader::decode_body(body, limits, chunks)
    }

    fn decode_error(&self, status: u16, body: &[u8]) -> ProviderError {
        crate::error::decode_error(status, body)
    }
}
