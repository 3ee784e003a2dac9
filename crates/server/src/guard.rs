//! The checks of every request: name of the host, origin, device and CSRF token.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::Device;
use crate::api::ApiError;
use crate::devices::{hash, is_equal};
use crate::state::Shared;

/// Name of the cookie with the token of a browser.
pub(crate) const COOKIE_NAME: &str = "windlass_device";

/// Name of the header with the CSRF token of a browser.
pub(crate) const CSRF_HEADER: &str = "x-windlass-csrf";

/// The sources from which a page of this server may load. Scripts and styles come from files of the server only, so a text that becomes
/// markup by mistake still runs nothing.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'";

/// Returns the CSRF token that belongs to the token of a device.
pub(crate) fn csrf_token(token: &str) -> String {
    hash(&format!("csrf:{token}"))
}

/// Checks the host and the origin of every request, and adds the security headers to every response.
pub(crate) async fn check_origin(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    let refusal = find_foreign(&shared, request.headers());
    let mut response = match refusal {
        Some(error) => error.into_response(),
        None => next.run(request).await,
    };
    shared.metrics.count_status(response.status().as_u16());
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Returns the error for a request of another site.
fn find_foreign(shared: &Shared, headers: &HeaderMap) -> Option<ApiError> {
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let host = text(&HOST).unwrap_or_default();
    if headers.get_all(HOST).iter().count() != 1 || !shared.names.accept(host) {
        return Some(ApiError::new(
            StatusCode::MISDIRECTED_REQUEST,
            "host",
            "this server does not answer to this name; start it with --host-name NAME to permit a name",
        ));
    }
    let foreign =
        || Some(ApiError::new(StatusCode::FORBIDDEN, "origin", "requests from other pages are refused"));
    if text(&ORIGIN).is_some_and(|origin| !shared.names.accept_origin(origin)) {
        return foreign();
    }
    match text(&HeaderName::from_static("sec-fetch-site")) {
        None | Some("same-origin" | "none") => None,
        Some(_) => foreign(),
    }
}

/// Admits only requests with the token of a device. A browser sends it in a cookie, and for each change the CSRF token
/// in a header; a program sends it as a bearer token. Adds the [`Device`] to the request.
pub(crate) async fn check_device(
    State(shared): State<Arc<Shared>>,
    mut request: Request,
    next: Next,
) -> Response {
    match find_device(&shared, request.method(), request.headers()).await {
        Ok(device) => {
            request.extensions_mut().insert(device);
            next.run(request).await
        }
        Err(error) => error.into_response(),
    }
}

async fn find_device(shared: &Arc<Shared>, method: &Method, headers: &HeaderMap) -> Result<Device, ApiError> {
    let (token, is_cookie) = match (bearer(headers), cookie(headers)) {
        (Some(token), _) => (token, false),
        (None, Some(token)) => (token, true),
        (None, None) => return Err(ApiError::wrong_token("this server needs the token of a device")),
    };
    let Some(device) = verify(shared, token).await? else { return Err(refuse_token(shared)) };
    if is_cookie && !method.is_safe() {
        let sent = headers.get(CSRF_HEADER).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !is_equal(sent, &csrf_token(token)) {
            return Err(ApiError::new(StatusCode::FORBIDDEN, "csrf", "the CSRF token is missing or wrong"));
        }
    }
    Ok(device)
}

/// Returns the device with a token.
pub(crate) async fn verify(shared: &Arc<Shared>, token: &str) -> Result<Option<Device>, ApiError> {
    let (shared, token) = (Arc::clone(shared), token.to_owned());
    let found = tokio::task::spawn_blocking(move || shared.devices.find(&token)).await;
    match found {
        Ok(Ok(device)) => Ok(device),
        // The path of the file is the business of the user at the machine, not of a client without a token.
        Ok(Err(_)) | Err(_) => Err(ApiError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "devices",
            "the list of devices cannot be read",
        )),
    }
}

/// Counts a wrong token and returns its error.
pub(crate) fn refuse_token(shared: &Shared) -> ApiError {
    shared.metrics.wrong_tokens.fetch_add(1, Ordering::Relaxed);
    match shared.failures.count(Instant::now()) {
        Some(wait) => ApiError::too_many("too many wrong tokens", wait),
        None => ApiError::wrong_token("the token is wrong or revoked"),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

pub(crate) fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE_NAME).map(|(_, value)| value)
}
