//! The provider's side of the format: decodes a client's request and encodes the answer.

mod blocks;
mod client_tools;
mod messages;
mod options;
mod request;
mod rules;
mod tools;
pub(crate) mod version;

mod answer;
mod stream;
mod whole;

mod error;

use windlass_protocol::Request;
use windlass_wire::{
    CallRestorer, DecodedRequest, Encoder, EndMarks, FieldRule, Framing, HeaderRule, ProviderError,
    RateLimitHeaders, RequestError, ResponseHead, SamplingOption, Server,
};

use self::stream::Stream;
use self::whole::Whole;
use crate::Anthropic;
use crate::names::NAME;

const END_MARKS: EndMarks = EndMarks {
    answers: &["\"message_start\"", "\"content_block_"],
    ends: &["\"message_stop\""],
    end_fields: &["error"],
};

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

    fn field_rules(&self) -> &'static [FieldRule] {
        rules::FIELDS
    }

    fn header_rules(&self) -> &'static [HeaderRule] {
        rules::HEADERS
    }

    fn share_options(&self, request: &mut Request) -> Vec<SamplingOption> {
        options::share(&mut request.options)
    }

    fn request_id_header(&self) -> &'static str {
        "request-id"
    }

    fn end_marks(&self) -> Option<EndMarks> {
        Some(END_MARKS)
    }

    fn rate_limit_headers(&self) -> RateLimitHeaders {
        rules::RATE_LIMITS
    }

    fn refuse_elsewhere(&self, request: &Request) -> Option<ProviderError> {
        error::refuse_threads(request).or_else(|| error::refuse_compactions(request))
    }

    fn refuse_version(&self, headers: &[(String, String)], body: &[u8]) -> Option<ProviderError> {
        version::refuse(headers, body)
    }

    fn share_tools(&self, request: &mut Request) -> Option<Box<dyn CallRestorer>> {
        client_tools::replace(request);
        None
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
