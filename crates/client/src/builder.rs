//! Putting a client together.

use std::sync::Arc;

use secrecy::SecretString;

use crate::client::Parts;
use crate::event::{ClientEvent, Observer};
use crate::facts::Facts;
use crate::failure::Failures;
use crate::secret::Key;
use crate::speech::Speech;
use crate::transport::Transport;
use crate::{Client, Endpoint, HttpError, HttpOptions, HttpTransport, Options};

/// Puts a client together: an endpoint, and what differs from the defaults.
#[derive(Clone)]
pub struct ClientBuilder {
    endpoint: Endpoint,
    speech: Speech,
    key: Option<SecretString>,
    options: Options,
    http: HttpOptions,
    transport: Option<Arc<dyn Transport>>,
    observer: Option<Observer>,
    facts: Option<Arc<Facts>>,
}

/// Why a client cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The address is not one.
    #[error("the address {base_url} is not an http or https address")]
    Address {
        /// The address, without a password.
        base_url: String,
    },
    /// The address has a place that the user fills in.
    #[error("the address {base_url} has a place to fill in: give the whole address")]
    Placeholder {
        /// The address, without a password.
        base_url: String,
    },
    /// The endpoint speaks another format.
    #[error("the endpoint speaks {endpoint}, the wire format is {wire}")]
    Wire {
        /// What the endpoint speaks.
        endpoint: String,
        /// What was given.
        wire: &'static str,
    },
    /// Nothing can be sent with these options.
    #[error(transparent)]
    Http(#[from] HttpError),
}

impl ClientBuilder {
    pub(crate) fn new(endpoint: Endpoint, speech: Speech) -> Self {
        Self {
            endpoint,
            speech,
            key: None,
            options: Options::default(),
            http: HttpOptions::default(),
            transport: None,
            observer: None,
            facts: None,
        }
    }

    /// The key.
    pub fn key(mut self, key: Option<SecretString>) -> Self {
        self.key = key;
        self
    }

    /// How patient the client is.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Proxy and certificate authorities. The wait for a connection is that of the [`Options`].
    pub fn http(mut self, http: HttpOptions) -> Self {
        self.http = http;
        self
    }

    /// Another way to send than [`HttpTransport`]. Proxy and authorities are its own matter then.
    pub fn transport(mut self, transport: impl Transport + 'static) -> Self {
        self.transport = Some(Arc::new(transport));
        self
    }

    /// Who is told of retries and of each answer's beginning. It is called between other work and must not wait.
    pub fn on_event(mut self, observer: impl Fn(&ClientEvent) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// What is known of models from refusals and lists, to share it between clients and to keep it. Without it each
    /// client learns for itself, until it ends.
    pub fn facts(mut self, facts: Arc<Facts>) -> Self {
        self.facts = Some(facts);
        self
    }

    /// The client.
    ///
    /// # Errors
    /// If the address is not one, the wire format is not the endpoint's, or the HTTP options cannot be used.
    pub fn build(self) -> Result<Client, ClientError> {
        let endpoint = self.endpoint;
        let is_address = ["http://", "https://"].iter().any(|scheme| endpoint.base_url.starts_with(scheme));
        if !is_address || endpoint.host().is_empty() {
            return Err(ClientError::Address { base_url: endpoint.address() });
        }
        if endpoint.base_url.contains('{') {
            return Err(ClientError::Placeholder { base_url: endpoint.address() });
        }
        match self.speech.wire("") {
            Some(wire) if wire.name() == endpoint.wire => {}
            wire => {
                let wire = wire.map_or("none that is known", |wire| wire.name());
                return Err(ClientError::Wire { endpoint: endpoint.wire, wire });
            }
        }
        let transport = if let Some(transport) = self.transport {
            transport
        } else {
            let http = self.http.with_connect_timeout(self.options.connect_timeout);
            Arc::new(HttpTransport::new(&http)?)
        };
        Ok(Client::of(Parts {
            transport,
            speech: self.speech,
            failures: Failures { key: Key::new(self.key, &endpoint), endpoint },
            options: self.options,
            observer: self.observer,
            paces: Arc::default(),
            schemas: Arc::default(),
            memories: Arc::default(),
            rewrites: Arc::default(),
            facts: self.facts.unwrap_or_else(|| Arc::new(Facts::in_memory())),
        }))
    }
}
