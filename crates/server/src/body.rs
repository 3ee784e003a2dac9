//! The bodies of requests: their size and the time that they may take.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{CONNECTION, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::api::ApiError;

/// Reads the whole body of a request before it is handled. A body that is too large, too slow or incomplete closes the
/// connection, because its rest would be parsed as the next request.
pub(crate) async fn read_body(most: usize, timeout: Duration, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let error = match tokio::time::timeout(timeout, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => return next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Ok(Err(_)) => {
            let message = format!("the body is incomplete or has more than {most} bytes");
            ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "body", message)
        }
        Err(_) => ApiError::new(StatusCode::REQUEST_TIMEOUT, "body", "the body took too long"),
    };
    let mut response = error.into_response();
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
