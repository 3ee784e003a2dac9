//! The provider's side of the format: decodes a client's request and encodes the answer.

mod calls;
mod cipher;
mod client_tools;
mod content;
mod error;
mod frame;
mod items;
mod messages;
mod options;
mod request;
mod results;
mod rules;
mod speech;
mod stream;

use windlass_protocol::Request;
use windlass_wire::{
    CallRestorer, DecodedRequest, EmbeddingsApi, Encoder, EndMarks, FieldRule, HeaderRule, ProviderError,
    RequestError, ResponseHead, SamplingOption, Server,
};

use crate::OpenAiResponses;
use crate::names::NAME;

/// The first three ends repeat the whole answer: the tail of a long one has neither the type nor earlier events, so the
/// stream counts as ended.
const END_MARKS: EndMarks = EndMarks {
    answers: &["\"response.created\"", "\"response.output_"],
    ends: &["\"response.completed\"", "\"response.incomplete\"", "\"response.failed\"", "\"type\":\"error\""],
    end_fields: &["error"],
};

impl Server for OpenAiResponses {
    fn name(&self) -> &'static str {
        NAME
    }

    fn request_path(&self) -> &'static str {
        "/v1/responses"
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

    fn stores_responses(&self) -> bool {
        true
    }

    fn refuse_elsewhere(&self, request: &Request) -> Option<ProviderError> {
        client_tools::refuse_references(request)
    }

    fn share_tools(&self, request: &mut Request) -> Option<Box<dyn CallRestorer>> {
        client_tools::ClientTools::replace(request)
    }

    fn embeddings_api(&self) -> Option<EmbeddingsApi> {
        Some(EmbeddingsApi::OpenAi)
    }

    fn encoder(&self, asked: &DecodedRequest, reply: ResponseHead) -> Box<dyn Encoder> {
        Box::new(stream::ResponseEncoder::new(asked, reply))
    }

    fn encode_error(&self, error: &ProviderError) -> (u16, Vec<u8>) {
        error::encode_error(error)
    }
}
