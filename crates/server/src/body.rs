//! The bodies of requests: their size and the time that they may take.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONNECTION, CONTENT_LENGTH, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tokio::sync::Semaphore;

use crate::api::ApiError;

/// Largest number of bodies with files that are in memory at the same time.
pub(crate) const UPLOADS: usize = 4;

/// Like [`read_body`], for a request with files. It waits for its place before it reads the body, because such bodies
/// are large, and has the place until the request is answered.
pub(crate) async fn read_upload(
    places: Arc<Semaphore>,
    most: usize,
    timeout: Duration,
    request: Request,
    next: Next,
) -> Response {
    if has_too_much(request.headers(), most) {
        return refuse_body(too_large(most));
    }
    let Ok(Ok(_place)) = tokio::time::timeout(timeout, places.acquire_owned()).await else {
        return refuse_body(ApiError::too_many("too many uploads", timeout));
    };
    read_body(most, timeout, request, next).await
}

/// Reads the whole body of a request before it is handled. A body that is too large, too slow or incomplete closes the
/// connection, because its rest would be parsed as the next request. A `Content-Length` above the limit is refused before
/// the body arrives.
pub(crate) async fn read_body(most: usize, timeout: Duration, request: Request, next: Next) -> Response {
    if has_too_much(request.headers(), most) {
        return refuse_body(too_large(most));
    }
    let (parts, body) = request.into_parts();
    let error = match tokio::time::timeout(timeout, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => return next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Ok(Err(_)) => too_large(most),
        Err(_) => ApiError::new(StatusCode::REQUEST_TIMEOUT, "body", "the body took too long"),
    };
    refuse_body(error)
}

/// Returns whether a request announces more bytes than the limit.
fn has_too_much(headers: &HeaderMap, most: usize) -> bool {
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    length.is_some_and(|length| usize::try_from(length).map_or(true, |length| length > most))
}

fn too_large(most: usize) -> ApiError {
    let message = format!("the body is incomplete or has more than {most} bytes");
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "body", message)
}

/// Returns an error that closes the connection.
fn refuse_body(error: ApiError) -> Response {
    let mut response = error.into_response();
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
