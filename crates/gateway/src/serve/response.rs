//! The form in which hyper takes a response.

use hyper::Response;
use hyper::header::CONTENT_TYPE;

use super::frames::ResponseFrames;
use crate::GatewayResponse;

/// A response, or the reason why it cannot be written.
pub(super) type HttpResult = Result<Response<ResponseFrames>, hyper::http::Error>;

/// Builds the response of hyper from one of the gateway.
pub(super) fn to_hyper(answer: GatewayResponse) -> HttpResult {
    let mut response = Response::builder().status(answer.status).header(CONTENT_TYPE, answer.content_type);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    response.body(ResponseFrames::new(answer.body))
}
