//! The builder of a [`Client`].

use std::sync::Arc;

use secrecy::SecretString;
use windlass_vendors::{Endpoint, RequestEncoder};

use crate::capability_store::CapabilityStore;
use crate::client::ClientInner;
use crate::event::{ClientEvent, Observer};
use crate::failure::Failures;
use crate::secret::Key;
use crate::transport::Transport;
use crate::{Client, HttpError, HttpOptions, HttpTransport, Options};

/// Builder of a [`Client`]: an endpoint, a wire format, and settings that differ from the defaults.
///
/// The endpoint and the format come from [`Client::vendor`] or [`Client::builder`]; every setter is optional.
#[derive(Clone)]
pub struct ClientBuilder {
    endpoint: Endpoint,
    /// `None` if the wire format is not known.
    encoder: Option<RequestEncoder>,
    key: Option<SecretString>,
    options: Options,
    http: HttpOptions,
    transport: Option<Arc<dyn Transport>>,
    observer: Option<Observer>,
    store: Option<Arc<CapabilityStore>>,
}

/// Error of [`ClientBuilder::build`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The base URL is not an http or https address with a host.
    #[error("the address {base_url} is not an http or https address")]
    Address {
        /// The address, without a password.
        base_url: String,
    },
    /// The base URL contains a placeholder (`{`) that the user must fill in.
    #[error("the address {base_url} contains a placeholder: give the complete address")]
    Placeholder {
        /// The address, without a password.
        base_url: String,
    },
    /// The endpoint and the given wire format differ.
    #[error("the endpoint speaks {endpoint}, the wire format is {wire}")]
    Wire {
        /// Wire format of the endpoint.
        endpoint: String,
        /// Name of the wire format that was given.
        wire: &'static str,
    },
    /// The HTTP transport cannot be made with these options.
    #[error(transparent)]
    Http(#[from] HttpError),
}

impl ClientBuilder {
    pub(crate) fn new(endpoint: Endpoint, encoder: Option<RequestEncoder>) -> Self {
        Self {
            endpoint,
            encoder,
            key: None,
            options: Options::default(),
            http: HttpOptions::default(),
            transport: None,
            observer: None,
            store: None,
        }
    }

    /// Sets the API key.
    pub fn key(mut self, key: Option<SecretString>) -> Self {
        self.key = key;
        self
    }

    /// Sets retries, timeouts and limits.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Sets the proxy and the certificate authorities of the default transport. Its connection timeout is
    /// taken from [`Options`].
    pub fn http(mut self, http: HttpOptions) -> Self {
        self.http = http;
        self
    }

    /// Replaces [`HttpTransport`]. The options given to [`ClientBuilder::http`] are ignored then.
    pub fn transport(mut self, transport: impl Transport + 'static) -> Self {
        self.transport = Some(Arc::new(transport));
        self
    }

    /// Sets a callback for retries and for the start of each answer. It runs between other work and must not
    /// block.
    pub fn on_event(mut self, observer: impl Fn(&ClientEvent) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Sets the store of facts about models that were learned from refusals and model lists, so that clients
    /// can share it and it can outlive them. By default each client learns in memory until it is dropped.
    pub fn capability_store(mut self, store: Arc<CapabilityStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Builds the client.
    ///
    /// # Errors
    /// If the base URL is not an address or contains a placeholder, if the wire format differs from the
    /// endpoint's, or if the HTTP options cannot be used.
    pub fn build(self) -> Result<Client, ClientError> {
        let endpoint = self.endpoint;
        let is_address = ["http://", "https://"].iter().any(|scheme| endpoint.base_url.starts_with(scheme));
        if !is_address || endpoint.host().is_empty() {
            return Err(ClientError::Address { base_url: endpoint.address() });
        }
        if endpoint.base_url.contains('{') {
            return Err(ClientError::Placeholder { base_url: endpoint.address() });
        }
        let wire = self.encoder.as_ref().map_or("not known", |encoder| encoder.wire().name());
        let Some(encoder) = self.encoder.filter(|_| wire == endpoint.wire) else {
            return Err(ClientError::Wire { endpoint: endpoint.wire, wire });
        };
        let transport = if let Some(transport) = self.transport {
            transport
        } else {
            let http = self.http.with_connect_timeout(self.options.connect_timeout);
            Arc::new(HttpTransport::new(&http)?)
        };
        let key = Key::new(self.key, &endpoint);
        Ok(Client::from_inner(ClientInner {
            transport,
            encoder,
            failures: Arc::new(Failures::new(endpoint, key)),
            options: self.options,
            observer: self.observer,
            paces: Arc::default(),
            schemas: Arc::default(),
            memories: Arc::default(),
            store: self.store.unwrap_or_else(|| Arc::new(CapabilityStore::in_memory())),
        }))
    }
}

impl std::fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("endpoint", &self.endpoint.name)
            .field("encoder", &self.encoder)
            .field("has_key", &self.key.is_some())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
