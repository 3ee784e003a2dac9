//! The errors of the endpoints themselves.

use std::time::Duration;

use windlass_wire::{ProviderError, ProviderErrorKind};

use crate::response::json;
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

pub(super) fn not_allowed(path: &str) -> GatewayResponse {
    let what = format!("{path:?} does not take this method; requests to models are POST");
    let error =
        serde_json::json!({"error": {"message": what, "type": "invalid_request_error", "code": null}});
    json(405, &error)
}
