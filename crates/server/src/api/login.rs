//! Sign-in of browsers, and the registered devices.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header::{HeaderValue, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};

use super::error::ApiError;
use super::extract::Body;
use super::values::{DeviceValue, Identity, Login};
use crate::guard::{COOKIE_NAME, csrf_token, refuse_token, verify};
use crate::state::Shared;
use crate::{Device, DeviceError};

/// Life of a cookie in seconds: 400 days, the most that browsers accept.
const COOKIE_SECONDS: u32 = 400 * 86_400;

/// Exchanges a token for a cookie that scripts cannot read.
pub(super) async fn login(
    State(shared): State<Arc<Shared>>,
    Body(login): Body<Login>,
) -> Result<Response, ApiError> {
    let Some(device) = verify(&shared, &login.token).await? else { return Err(refuse_token(&shared)) };
    let csrf = Some(csrf_token(&login.token));
    let cookie =
        format!("{COOKIE_NAME}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={COOKIE_SECONDS}", login.token);
    let cookie =
        HeaderValue::from_str(&cookie).map_err(|_| ApiError::wrong_token("the token is wrong or revoked"))?;
    let mut response = Json(Identity { device: device.id, name: device.name, csrf }).into_response();
    response.headers_mut().insert(SET_COOKIE, cookie);
    Ok(response)
}

/// Removes the cookie.
pub(super) async fn logout() -> Response {
    let cookie = format!("{COOKIE_NAME}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

/// Returns the device of the client, with the CSRF token of a browser.
pub(super) async fn identity(Extension(device): Extension<Device>, headers: HeaderMap) -> Json<Identity> {
    let csrf = crate::guard::cookie(&headers).map(csrf_token);
    Json(Identity { device: device.id, name: device.name, csrf })
}

/// Returns the registered devices.
pub(super) async fn devices(
    State(shared): State<Arc<Shared>>,
    Extension(own): Extension<Device>,
) -> Result<Json<Vec<DeviceValue>>, ApiError> {
    let devices = blocking(move || shared.devices.list()).await?;
    let value = |device: Device| DeviceValue {
        is_own: device.id == own.id,
        id: device.id,
        name: device.name,
        added_ms: device.added_ms,
    };
    Ok(Json(devices.into_iter().map(value).collect()))
}

/// Revokes a device.
pub(super) async fn revoke(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let access = Arc::clone(&shared);
    blocking(move || shared.devices.revoke(&id)).await?;
    access.access.notify();
    Ok(StatusCode::NO_CONTENT)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, DeviceError> + Send + 'static,
) -> Result<T, ApiError> {
    let done = tokio::task::spawn_blocking(work).await;
    match done {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error @ DeviceError::Unknown { .. })) => {
            Err(ApiError::new(StatusCode::NOT_FOUND, "not_found", error.to_string()))
        }
        _ => Err(ApiError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "devices",
            "the list of devices cannot be used",
        )),
    }
}
