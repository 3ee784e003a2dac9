//! The model behind a gateway.

use std::fmt;
use std::sync::Arc;

use windlass_client::Client;
use windlass_protocol::Prices;
use windlass_stream::Model;
use windlass_wire::Wire;

use crate::relay::Relay;

/// The model to which the gateway forwards requests.
#[derive(Clone)]
#[non_exhaustive]
pub struct Upstream {
    /// The model.
    pub model: Arc<dyn Model>,
    /// The wire format that it uses.
    pub wire: Arc<dyn Wire>,
    /// The exchange below the level of chunks. Without it, every exchange is translated.
    pub relay: Option<Arc<dyn Relay>>,
    /// The model name to send; the name from the client's request if `None`.
    pub name: Option<String>,
    /// The name of the upstream in measurements. Default: the name of the client's endpoint, or of the wire format.
    pub label: String,
}

impl Upstream {
    /// Creates an upstream for a model that uses this wire format. The gateway translates every exchange.
    pub fn new(model: Arc<dyn Model>, wire: Arc<dyn Wire>) -> Self {
        let label = wire.name().to_owned();
        Self { model, wire, relay: None, name: None, label }
    }

    /// Creates an upstream for a provider. Exchanges of clients that use the provider's own format are
    /// forwarded byte for byte.
    pub fn from_client(client: Client) -> Self {
        let (wire, label) = (client.wire().clone(), client.endpoint().name.clone());
        let client = Arc::new(client);
        Self { relay: Some(client.clone()), label, ..Self::new(client, wire) }
    }

    /// Sets the exchange below the level of chunks.
    pub fn with_relay(mut self, relay: Arc<dyn Relay>) -> Self {
        self.relay = Some(relay);
        self
    }

    /// Sets the name of the upstream in measurements.
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Returns the prices of a model, if they are known.
    pub(crate) fn prices(&self, model: &str) -> Option<Prices> {
        self.model.prices(model)
    }

    /// Sets the model name to send instead of the client's.
    pub fn with_name(mut self, name: Option<String>) -> Self {
        self.name = name;
        self
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream")
            .field("wire", &self.wire.name())
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
