//! The provider's side of the format: decodes a client's request and encodes the answer.

mod calls;
mod cipher;
mod content;
mod error;
mod frame;
mod items;
mod messages;
mod request;
mod results;
mod speech;
mod stream;

use windlass_wire::{DecodedRequest, Encoder, ProviderError, RequestError, ResponseHead, Server};

use crate::OpenAiResponses;
use crate::names::NAME;

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

    fn encoder(&self, asked: &DecodedRequest, reply: ResponseHead) -> Box<dyn Encoder> {
        Box::new(stream::ResponseEncoder::new(asked, reply))
    }

    fn encode_error(&self, error: &ProviderError) -> (u16, Vec<u8>) {
        error::encode_error(error)
    }
}
