//! The subscriptions of browsers to web push.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::ApiError;
use super::extract::Body;
use crate::Device;
use crate::push::{PushError, Subscription, WebPush};
use crate::state::Shared;

/// The state of web push for the device of the client.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PushValue {
    /// The server's public key, which a browser needs to subscribe. Missing if the server has no web push.
    key: Option<String>,
    /// True if the device has a subscription.
    is_subscribed: bool,
}

/// Subscription of a browser, as `PushSubscription.toJSON` returns it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSubscription {
    /// The address at the browser's push service.
    endpoint: String,
    /// The browser's keys.
    keys: SubscriptionKeys,
}

/// Keys of a subscription in base64url.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubscriptionKeys {
    /// The browser's public key.
    p256dh: String,
    /// The browser's secret.
    auth: String,
}

/// Returns the public key of the server, and whether the device has a subscription.
pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    Extension(device): Extension<Device>,
) -> Result<Json<PushValue>, ApiError> {
    if shared.push.is_none() {
        return Ok(Json(PushValue { key: None, is_subscribed: false }));
    }
    let value = on_push(shared, move |push| {
        Ok(PushValue { key: Some(push.public_key()?), is_subscribed: push.has_device(&device.id)? })
    });
    Ok(Json(value.await?))
}

/// Stores the subscription of the client's device.
pub(super) async fn subscribe(
    State(shared): State<Arc<Shared>>,
    Extension(device): Extension<Device>,
    Body(new): Body<NewSubscription>,
) -> Result<StatusCode, ApiError> {
    let NewSubscription { endpoint, keys: SubscriptionKeys { p256dh, auth } } = new;
    let subscription = Subscription { device: device.id, endpoint, p256dh, auth };
    on_push(shared, move |push| push.subscribe(subscription)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes the subscription of the client's device.
pub(super) async fn unsubscribe(
    State(shared): State<Arc<Shared>>,
    Extension(device): Extension<Device>,
) -> Result<StatusCode, ApiError> {
    on_push(shared, move |push| push.unsubscribe(&device.id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Works on the subscriptions outside of the async threads.
async fn on_push<T: Send + 'static>(
    shared: Arc<Shared>,
    work: impl FnOnce(&WebPush) -> Result<T, PushError> + Send + 'static,
) -> Result<T, ApiError> {
    let Some(push) = shared.push.clone() else {
        return Err(ApiError::new(StatusCode::NOT_FOUND, "not_found", "this server has no web push"));
    };
    let done = tokio::task::spawn_blocking(move || work(&push)).await;
    match done {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error @ PushError::Malformed(_))) => Err(ApiError::invalid(error.to_string())),
        Ok(Err(_)) | Err(_) => Err(ApiError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "push",
            "the list of subscriptions cannot be used",
        )),
    }
}
