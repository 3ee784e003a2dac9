//! The provider's side of the format: decodes a client's request and encodes the answer.

mod blocks;
mod messages;
mod request;
mod tools;

mod answer;
mod stream;
mod whole;

mod error;

use windlass_wire::{DecodedRequest, Encoder, Framing, ProviderError, RequestError, ResponseHead, Server};

use self::stream::Stream;
use self::whole::Whole;
use crate::Anthropic;
use crate::names::NAME;

impl Server for Anthropic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn request_path(&self) -> &'static str {
        "/v1/messages"
    }

    fn serves(&self, path: &str) -> bool {
        request::serves(path)
    }

    fn decode_request(&self, path: &str, body: &[u8]) -> Result<DecodedRequest, RequestError> {
        request::decode_request(path, body)
    }

    fn encoder(&self, asked: &DecodedRequest, reply: ResponseHead) -> Box<dyn Encoder> {
        match asked.framing {
            Framing::Whole => Box::new(Whole::new(reply)),
            _ => Box::new(Stream::new(reply)),
        }
    }

    fn encode_error(&self, error: &ProviderError) -> (u16, Vec<u8>) {
        error::encode_error(error)
    }
}
