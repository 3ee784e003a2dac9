//! The type that implements the format.

use windlass_protocol::{Refusal, Request};
use windlass_stream::Chunk;
use windlass_wire::{
    DecodeError, Decoder, EncodeError, EncodedHistory, EventDecoder, FilesApi, HttpRequest, ProviderError,
    RequestBody, SamplingKind, Wire, WireLimits,
};

use crate::OpenAiChatOptions;
use crate::decode::ChatReader;
use crate::names::NAME;

/// The wire format of OpenAI's Chat Completions API, which many other servers implement too.
///
/// `OpenAiChat` implements `Wire`, the client's side (requests out, answers in), and `Server`, the provider's
/// side (requests in, answers out). `OpenAiChatOptions` holds the differences between servers.
///
/// ```
/// use windlass_protocol::{Message, Request};
/// use windlass_wire::Wire;
/// use windlass_wire_openai_chat::OpenAiChat;
///
/// let http = OpenAiChat::default().encode(&Request::new("gpt-5-mini", vec![Message::user("hello")]))?;
/// assert_eq!(http.path, "/chat/completions");
/// assert!(http.body.ends_with(br#""messages":[{"role":"user","content":"hello"}]}"#));
/// # Ok::<(), windlass_wire::EncodeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenAiChat {
    options: OpenAiChatOptions,
}

impl OpenAiChat {
    /// Creates the format with the options of one server.
    pub fn new(options: OpenAiChatOptions) -> Self {
        Self { options }
    }
}

impl Wire for OpenAiChat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn has_common_free_text(&self) -> bool {
        false
    }

    fn takes_seed(&self) -> bool {
        true
    }

    fn takes_verbosity(&self) -> bool {
        true
    }

    fn sampling_field(&self, kind: SamplingKind) -> Option<&'static str> {
        match kind {
            SamplingKind::FrequencyPenalty => Some("frequency_penalty"),
            SamplingKind::PresencePenalty => Some("presence_penalty"),
            _ => None,
        }
    }

    fn files_api(&self) -> Option<FilesApi> {
        // A part of type `image_url` has no id: https://developers.openai.com/api/docs/guides/file-inputs.
        Some(FilesApi::multipart("/v1/files", &[("purpose", "user_data")], 512_000_000).with_images(false))
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
        Box::new(EventDecoder::<ChatReader>::new(limits))
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
