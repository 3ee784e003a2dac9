//! The provider's side of the format: decodes a client's request and encodes the answer.

mod content;
mod messages;
mod options;
mod request;
mod rules;
pub(crate) mod tools;

mod calls;
mod stream;
mod whole;
mod words;

mod error;

use windlass_protocol::Request;
use windlass_wire::{
    DecodedRequest, EmbeddingsApi, Encoder, EndMarks, FieldRule, Framing, HeaderRule, ProviderError,
    RequestError, ResponseHead, SamplingOption, Server,
};

use self::stream::{Stream, TellUsage};
use self::whole::Whole;
use crate::OpenAiChat;
use crate::names::NAME;

const END_MARKS: EndMarks = EndMarks {
    answers: &["\"choices\""],
    ends: &["data: [DONE]", "data:[DONE]"],
    end_fields: &["finish_reason", "error"],
};

impl Server for OpenAiChat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn request_path(&self) -> &'static str {
        "/v1/chat/completions"
    }

    fn serves(&self, path: &str) -> bool {
        request::serves(path)
    }

    fn decode_request(&self, path: &str, body: &[u8]) -> Result<DecodedRequest, RequestError> {
        request::decode_request(path, body)
    }

    fn field_rules(&self) -> &'static [FieldRule] {
        rules::FIELDS
    }

    fn header_rules(&self) -> &'static [HeaderRule] {
        rules::HEADERS
    }

    fn share_options(&self, request: &mut Request) -> Vec<SamplingOption> {
        options::share(request)
    }

    fn end_marks(&self) -> Option<EndMarks> {
        Some(END_MARKS)
    }

    fn has_failure_reason(&self) -> bool {
        false
    }

    fn embeddings_api(&self) -> Option<EmbeddingsApi> {
        Some(EmbeddingsApi::OpenAi)
    }

    fn encoder(&self, asked: &DecodedRequest, reply: ResponseHead) -> Box<dyn Encoder> {
        if asked.framing == Framing::Whole {
            return Box::new(Whole::new(reply));
        }
        let options = asked.request.options.extra.get("stream_options");
        let asks =
            options.and_then(|options| options.get("include_usage")).is_some_and(|asked| asked == true);
        Box::new(Stream::new(&reply, if asks { TellUsage::Tell } else { TellUsage::Leave }))
    }

    fn encode_error(&self, error: &ProviderError) -> (u16, Vec<u8>) {
        error::encode_error(error)
    }
}
