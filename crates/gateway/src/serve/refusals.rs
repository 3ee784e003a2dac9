//! The errors of the server itself, for requests that reach no gateway.

use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, EXPECT, HeaderValue};

use super::options::ServeOptions;
use super::request_body::discard_body;
use super::response::{HttpResult, to_hyper};
use crate::refusal::api::Api;
use crate::{ClientRequest, unpack};

/// Refuses a request whose body has unread bytes.
pub(super) fn refuse_unread(
    request: Request<Incoming>,
    options: &ServeOptions,
    response: HttpResult,
) -> HttpResult {
    // A client that expects 100 sends no body after a refusal.
    if !request.headers().contains_key(EXPECT) {
        discard_body(request.into_body(), options);
    }
    closing(response)
}

/// Closes the connection after the response, because the rest of an unread body would be parsed as the next
/// request.
pub(super) fn closing(response: HttpResult) -> HttpResult {
    response.map(|mut response| {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        response
    })
}

/// Returns the error for a packed body that cannot be unpacked.
pub(super) fn unknown_encoding(request: &ClientRequest, name: &str) -> HttpResult {
    let what = format!("bodies with the content-encoding {name:?} are not read");
    plain(request, 415, &what).map(|mut response| {
        response.headers_mut().insert("accept-encoding", HeaderValue::from_static(unpack::ENCODINGS));
        response
    })
}

/// Returns an error of the server itself in the form of the request's API.
pub(super) fn plain(request: &ClientRequest, status: u16, message: &str) -> HttpResult {
    to_hyper(Api::find(request).error(status, message))
}
