//! The errors of the endpoints themselves.

use std::time::Duration;

use windlass_wire::{ProviderError, ProviderErrorKind};

use crate::refusal::api::Api;
use crate::{ClientRequest, GatewayResponse};

/// The wait in the answer when the server has no room for its request.
pub(super) const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Returns true for the paths by which a service manager asks for the state, which need no key.
pub(super) fn is_probe(method: &str, request: &ClientRequest) -> bool {
    matches!(method, "GET" | "HEAD") && matches!(request.route(), "/health" | "/healthz" | "/ready")
}

pub(super) fn missing_key() -> ProviderError {
    let what = "the key of this gateway is missing or not valid";
    ProviderError::new(ProviderErrorKind::Authentication, Some("invalid_api_key".to_owned()), what)
        .with_status(401)
}

pub(super) fn not_permitted(model: &str) -> ProviderError {
    let what = format!("the key of this client does not permit the model {model:?}");
    ProviderError::new(ProviderErrorKind::NotFound, Some("model_not_found".to_owned()), what).with_status(404)
}

pub(super) fn overload_error() -> ProviderError {
    let what = "the gateway answers as many requests as it may; try again later";
    ProviderError::new(ProviderErrorKind::Server, None, what)
        .with_status(503)
        .with_retry_after(Some(RETRY_AFTER))
}

/// Returns true for a request that opens a WebSocket, as Codex does before it sends requests over HTTP.
pub(super) fn is_web_socket(request: &ClientRequest) -> bool {
    request.header("upgrade").is_some_and(|protocol| protocol.eq_ignore_ascii_case("websocket"))
}

/// Refuses a WebSocket with the status on which Codex uses HTTP at once; after any other one it tries six times more.
pub(super) fn no_web_sockets() -> GatewayResponse {
    let what = "this gateway has no WebSockets; send the request with POST over HTTP";
    let mut refusal = Api::OpenAi.error(426, what);
    // RFC 9110, 15.5.22: the answer names a protocol.
    refusal.headers.push(("upgrade".to_owned(), "HTTP/1.1".to_owned()));
    refusal
}

/// Returns the error for a method that a served path does not take.
pub(super) fn not_allowed(request: &ClientRequest) -> GatewayResponse {
    let path = request.route();
    let what = format!("{path:?} does not take this method; requests to models are POST");
    Api::find(request).error(405, &what)
}
