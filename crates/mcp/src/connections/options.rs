//! Options of all connections, and the listener of their events.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use windlass_toolbox::DynamicTools;

use super::ServerEvent;
use crate::{ClientOptions, Connector};

/// Maximum number of tools that are offered without a search.
const DEFER_OVER: usize = 40;

/// A callback for changes of servers' status.
pub type Listener = Arc<dyn Fn(ServerEvent) + Send + Sync>;

/// Options of all connections, and the listener of their events.
#[derive(Clone)]
#[non_exhaustive]
pub struct ConnectionOptions {
    /// The options of each client.
    pub client: ClientOptions,
    /// The callback for changes of servers' status.
    pub listener: Option<Listener>,
    /// The dynamic tools that receive the servers' tools. Changes of servers and lists take effect at the
    /// next turn.
    pub dynamic: Option<DynamicTools>,
    /// True if changed lists are offered only by [`McpConnections::renew_offers`](crate::McpConnections::renew_offers).
    pub renews_on_demand: bool,
    /// Maximum number of tools that are all offered. If there are more, the model finds them with
    /// `tool_search`. The default is 40.
    pub defer_over: usize,
    /// Connectors that replace a server's program, by server id.
    pub connectors: BTreeMap<String, Arc<dyn Connector>>,
}

impl Default for ConnectionOptions {
    fn default() -> Self {
        Self {
            client: ClientOptions::default(),
            listener: None,
            dynamic: None,
            renews_on_demand: false,
            defer_over: DEFER_OVER,
            connectors: BTreeMap::new(),
        }
    }
}

impl ConnectionOptions {
    /// Sets the options of each client.
    pub fn with_client(mut self, client: ClientOptions) -> Self {
        self.client = client;
        self
    }

    /// Sets the callback for changes of servers' status.
    pub fn with_listener(mut self, listen: impl Fn(ServerEvent) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listen));
        self
    }

    /// Offers the servers' tools through these dynamic tools.
    pub fn with_dynamic(mut self, dynamic: DynamicTools) -> Self {
        self.dynamic = Some(dynamic);
        self
    }

    /// Offers changed lists only when [`McpConnections::renew_offers`](crate::McpConnections::renew_offers) is called, so
    /// that the caller knows which turns had them. Without it, a list is offered as soon as the server sent it.
    pub fn with_renewal_on_demand(mut self) -> Self {
        self.renews_on_demand = true;
        self
    }

    /// Sets the maximum number of tools that are offered without a search.
    pub fn with_defer_over(mut self, tools: usize) -> Self {
        self.defer_over = tools;
        self
    }

    /// Sets a connector that replaces a server's program, such as one that confines the process.
    pub fn with_connector(mut self, server: impl Into<String>, connector: Arc<dyn Connector>) -> Self {
        self.connectors.insert(server.into(), connector);
        self
    }
}

impl fmt::Debug for ConnectionOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionOptions").field("client", &self.client).finish_non_exhaustive()
    }
}
