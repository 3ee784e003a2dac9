//! The bodies of requests: their size and the time that they may take.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{CONNECTION, HeaderValue};
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
    let Ok(Ok(_place)) = tokio::time::timeout(timeout, places.acquire_owned()).await else {
        let mut response = ApiError::too_many("too many uploads", timeout).into_response();
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        return response;
    };
    read_body(most, timeout, request, next).await
}

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
