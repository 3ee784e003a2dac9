//! Web push: a browser whose page is closed shows that a question waits.

mod message;
mod signing_key;
mod subscriptions;

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue};
use axum::http::{HeaderMap, HeaderName, Method};
use serde::Serialize;
use windlass_web_reach::{CheckedClient, OutgoingRequest, Scope, TimeLimits, WebUrl};

use self::message::BrowserKeys;
pub(crate) use self::signing_key::SigningKey;
use self::subscriptions::Subscriptions;
pub(crate) use self::subscriptions::{PushError, Subscription};

/// Time for the connection to a push service.
const CONNECT: Duration = Duration::from_secs(5);

/// Time for a whole request to a push service.
const TOTAL: Duration = Duration::from_secs(10);

/// Seconds for which a push service keeps a message for a browser that is not connected.
const KEEP_SECONDS: &str = "3600";

/// Longest name of a tool in a message, in characters.
const NAME: usize = 100;

/// Web push of a server: the key by which push services recognize it, and the subscriptions of its devices.
///
/// A message has the name of a tool and no arguments, texts or paths, and only the browser can decrypt it. Messages go to
/// public addresses over HTTPS only, because a device chooses the address.
///
/// ```
/// use windlass_server::WebPush;
///
/// let folder = tempfile::tempdir()?;
/// let push = WebPush::new(folder.path().join("push.json"));
/// # drop(push);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct WebPush {
    pub(crate) subscriptions: Subscriptions,
    client: CheckedClient,
}

/// Content of a message.
#[derive(Serialize)]
pub(crate) struct Announcement {
    /// Id of the question, so that a later notification of the same question replaces the earlier one.
    pub(crate) question: String,
    /// The tool that the question is about, if it is about a call.
    pub(crate) tool: Option<String>,
}

/// The answer of a push service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    Accepted,
    /// The browser has ended the subscription.
    Gone,
    Failed,
}

impl WebPush {
    /// Uses this file for the key and the subscriptions. It need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { subscriptions: Subscriptions::new(path.into()), client: CheckedClient::default() }
    }

    /// Sets the client. A push service of the user's own, which is not public, needs a
    /// [`Reach`](windlass_web_reach::Reach) that names its address.
    pub fn with_client(mut self, client: CheckedClient) -> Self {
        self.client = client;
        self
    }

    /// Returns the public key in base64url.
    pub(crate) fn public_key(&self) -> Result<String, PushError> {
        Ok(self.subscriptions.signing_key()?.public())
    }

    /// Returns true if a device has a subscription.
    pub(crate) fn has_device(&self, device: &str) -> Result<bool, PushError> {
        Ok(self.subscriptions.list()?.iter().any(|known| known.device == device))
    }

    /// Stores the subscription of a device.
    pub(crate) fn subscribe(&self, subscription: Subscription) -> Result<(), PushError> {
        self.address(&subscription.endpoint)?;
        self.subscriptions.set(subscription)
    }

    /// Removes the subscription of a device.
    pub(crate) fn unsubscribe(&self, device: &str) -> Result<(), PushError> {
        self.subscriptions.remove(|known| known.device == device)
    }

    /// Checks the address of a subscription.
    fn address(&self, endpoint: &str) -> Result<(WebUrl, Scope), PushError> {
        let refused = PushError::Malformed("its address is not a public one with https");
        let Ok(url) = WebUrl::parse(endpoint) else { return Err(refused) };
        let Ok(scope) = self.client.reach().scope(url.endpoint(), Some(Scope::Any)) else {
            return Err(refused);
        };
        // A service that the program named may be on this machine, without TLS.
        if !url.is_encrypted() && scope == Scope::Public {
            return Err(refused);
        }
        Ok((url, scope))
    }

    /// Sends a message to one browser.
    pub(crate) async fn deliver(
        &self,
        key: &SigningKey,
        to: &Subscription,
        content: &[u8],
    ) -> Result<Delivery, PushError> {
        let (url, scope) = self.address(&to.endpoint)?;
        let scheme = if url.is_encrypted() { "https" } else { "http" };
        let authorization = key.authorization(&format!("{scheme}://{}", url.authority()), now_seconds())?;
        let (public, auth) = to.keys()?;
        let body = message::encrypt(content, BrowserKeys { public: &public, auth: &auth })?;
        let mut headers = HeaderMap::new();
        let mut authorization =
            HeaderValue::from_str(&authorization).map_err(|_| PushError::Malformed("its address"))?;
        authorization.set_sensitive(true);
        headers.insert(AUTHORIZATION, authorization);
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("aes128gcm"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
        headers.insert(HeaderName::from_static("ttl"), HeaderValue::from_static(KEEP_SECONDS));
        headers.insert(HeaderName::from_static("urgency"), HeaderValue::from_static("high"));
        let request = OutgoingRequest { method: Method::POST, headers, body: body.into() };
        let sent = self.client.send(&url, scope, request, TimeLimits::start(CONNECT, TOTAL)).await;
        Ok(match sent.map(|response| response.status().as_u16()) {
            Ok(200..=299) => Delivery::Accepted,
            Ok(404 | 410) => Delivery::Gone,
            Ok(_) | Err(_) => Delivery::Failed,
        })
    }
}

impl Announcement {
    pub(crate) fn new(question: String, tool: Option<&str>) -> Self {
        Self { question, tool: tool.map(|tool| tool.chars().take(NAME).collect()) }
    }
}

fn now_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

impl fmt::Debug for WebPush {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebPush").finish_non_exhaustive()
    }
}
