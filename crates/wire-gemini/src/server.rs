//! The provider's side of the format: decodes a client's request and encodes the answer.

mod calls;
mod error;
mod event;
mod fields;
mod messages;
mod options;
mod request;
mod results;
mod rules;
mod schema;
mod stream;
mod tools;
mod waiting;
mod whole;

use windlass_protocol::Request;
use windlass_wire::{
    DecodedRequest, EmbeddingsApi, Encoder, FieldRule, Framing, HeaderRule, Outline, ProviderError,
    RequestError, ResponseHead, SamplingOption, Server,
};

use crate::Gemini;
use crate::names::NAME;

impl Server for Gemini {
    fn name(&self) -> &'static str {
        NAME
    }

    fn request_path(&self) -> &'static str {
        "/v1beta/models/model:streamGenerateContent"
    }

    fn framings(&self) -> &'static [Framing] {
        &[Framing::Events, Framing::Whole, Framing::Array]
    }

    fn serves(&self, path: &str) -> bool {
        request::outline(path).is_some()
    }

    fn outline(&self, path: &str, _body: &[u8]) -> Result<Outline, RequestError> {
        request::outline(path).ok_or_else(|| RequestError::Path { wire: NAME, path: path.to_owned() })
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

    fn embeddings_api(&self) -> Option<EmbeddingsApi> {
        Some(EmbeddingsApi::Gemini)
    }

    fn encoder(&self, asked: &DecodedRequest, reply: ResponseHead) -> Box<dyn Encoder> {
        Box::new(stream::AnswerEncoder::new(asked, reply))
    }

    fn encode_error(&self, error: &ProviderError) -> (u16, Vec<u8>) {
        error::encode_error(error)
    }
}
