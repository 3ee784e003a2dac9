//! The HTTP client of one provider: its construction and its parts.

use std::fmt;
use std::sync::Arc;

use secrecy::SecretString;
use tokio::time::Instant;
use windlass_vendors::{Endpoint, RequestEncoder, Vendor};
use windlass_wire::Wire;

use crate::capability_store::CapabilityStore;
use crate::event::{AnswerInfo, ClientEvent, Observer};
use crate::failure::Failures;
use crate::limits::Paces;
use crate::memories::Memories;
use crate::response::ResponseDecoder;
use crate::schemas::Schemas;
use crate::transport::{Transport, TransportResponse};
use crate::{ClientBuilder, ClientError, Options, RateLimits};

/// HTTP client of one provider, and its [`Model`](windlass_stream::Model).
///
/// It retries a request that was refused temporarily or did not reach the provider, with growing waits; it
/// does not retry an invalid request, and nothing once content was handed out. Dropping the stream closes the
/// connection. Clones share rate limits, caches and store.
///
/// ```
/// use std::sync::Arc;
/// use windlass_client::{Client, Endpoint, HttpOptions, Options};
/// use windlass_wire_openai_chat::OpenAiChat;
///
/// let endpoint = Endpoint::custom("http://localhost:8080/v1", "openai-chat");
/// let client = Client::new(endpoint.clone(), None, Arc::new(OpenAiChat::default()), Options::default())?;
/// let through_a_proxy = Client::builder(endpoint, Arc::new(OpenAiChat::default()))
///     .http(HttpOptions::default().with_proxy("http://proxy.example:3128"))
///     .build()?;
/// # let _ = (client, through_a_proxy);
/// # Ok::<(), windlass_client::ClientError>(())
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) inner: ClientInner,
}

/// State of a client, shared by its clones.
#[derive(Clone)]
pub(crate) struct ClientInner {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) encoder: RequestEncoder,
    pub(crate) failures: Arc<Failures>,
    pub(crate) options: Options,
    pub(crate) observer: Option<Observer>,
    pub(crate) store: Arc<CapabilityStore>,
    pub(crate) paces: Arc<Paces>,
    pub(crate) schemas: Arc<Schemas>,
    pub(crate) memories: Arc<Memories>,
}

impl Client {
    /// Creates a client for one endpoint. It reads no environment variables; keys and proxies are arguments.
    /// If the endpoint has the name of a built-in vendor, as from [`Endpoint::find`], that vendor's quirks
    /// apply.
    ///
    /// # Errors
    /// If the address is invalid, or the wire format differs from the endpoint's.
    pub fn new(
        endpoint: Endpoint,
        key: Option<SecretString>,
        wire: Arc<dyn Wire>,
        options: Options,
    ) -> Result<Self, ClientError> {
        Self::builder(endpoint, wire).key(key).options(options).build()
    }

    /// Returns a builder, for a proxy, certificate authorities, another transport or a callback.
    pub fn builder(endpoint: Endpoint, wire: Arc<dyn Wire>) -> ClientBuilder {
        let encoder = RequestEncoder::for_wire(&endpoint, wire);
        ClientBuilder::new(endpoint, Some(encoder))
    }

    /// Returns a builder for a vendor. The wire format and the quirks follow from the vendor and the model of
    /// each request.
    ///
    /// ```
    /// use windlass_client::{Client, Vendors};
    /// let vendors = Vendors::builtin();
    /// let groq = vendors.get("groq").ok_or("not found")?;
    /// let client = Client::vendor(groq.clone()).key(Some("a key".into())).build()?;
    /// # let _ = client;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn vendor(vendor: Vendor) -> ClientBuilder {
        ClientBuilder::new(vendor.endpoint.clone(), RequestEncoder::for_vendor(vendor))
    }

    /// Returns the endpoint of the client.
    pub fn endpoint(&self) -> &Endpoint {
        &self.inner.failures.endpoint
    }

    /// Returns the wire format of the client.
    pub fn wire(&self) -> &Arc<dyn Wire> {
        self.inner.encoder.wire()
    }

    pub(crate) fn from_inner(inner: ClientInner) -> Self {
        Self { inner }
    }

    /// Returns the rate limits that the provider sent with its last answer for a model.
    pub fn rate_limits(&self, model: &str) -> Option<RateLimits> {
        self.inner.paces.for_model(model)
    }

    /// Returns the decoder of a response.
    pub(crate) fn response_decoder(
        &self,
        wire: Arc<dyn Wire>,
        request_id: Option<String>,
        deadline: Instant,
    ) -> ResponseDecoder {
        let ClientInner { failures, options, .. } = &self.inner;
        ResponseDecoder { wire, failures: failures.clone(), options: *options, request_id, deadline }
    }

    /// Notifies the observer of a response with a success status.
    pub(crate) fn notify_answer(&self, model: &str, response: &TransportResponse, attempts: usize) {
        self.notify(|| {
            ClientEvent::Answer(AnswerInfo {
                provider: self.inner.failures.endpoint.name.clone(),
                model: model.to_owned(),
                status: response.status,
                request_id: self.inner.failures.request_id(&response.headers),
                attempts,
                rate_limits: self.rate_limits(model),
            })
        });
    }

    pub(crate) fn notify(&self, event: impl FnOnce() -> ClientEvent) {
        if let Some(observer) = &self.inner.observer {
            observer(&event());
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("endpoint", &self.inner.failures.endpoint.name).finish_non_exhaustive()
    }
}
