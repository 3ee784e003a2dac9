//! What all servers are given, and who hears of them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use windlass_toolbox::DynamicTools;

use super::ServerEvent;
use crate::{ClientOptions, Connector};

/// From how many tools on they have to be looked for.
const DEFER_OVER: usize = 40;

/// What is told of servers as it happens.
pub type Listener = Arc<dyn Fn(ServerEvent) + Send + Sync>;

/// What all servers are given, and who hears of them.
#[derive(Clone)]
#[non_exhaustive]
pub struct ConnectionOptions {
    /// What each server is given.
    pub client: ClientOptions,
    /// Who hears what becomes of the servers.
    pub listener: Option<Listener>,
    /// Where the tools are offered, from the next turn on, as servers and lists come and go.
    pub dynamic: Option<DynamicTools>,
    /// From how many tools on they are not all offered, but found with `tool_search`; 40 if nothing is said.
    pub defer_over: usize,
    /// How servers are reached that are not started here, by their names.
    pub connectors: BTreeMap<String, Arc<dyn Connector>>,
}

impl Default for ConnectionOptions {
    fn default() -> Self {
        Self {
            client: ClientOptions::default(),
            listener: None,
            dynamic: None,
            defer_over: DEFER_OVER,
            connectors: BTreeMap::new(),
        }
    }
}

impl ConnectionOptions {
    /// The same with what each server is given.
    pub fn with_client(mut self, client: ClientOptions) -> Self {
        self.client = client;
        self
    }

    /// The same with somebody who hears what becomes of the servers.
    pub fn with_listener(mut self, listen: impl Fn(ServerEvent) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listen));
        self
    }

    /// The same, and the tools are offered through these.
    pub fn with_dynamic(mut self, dynamic: DynamicTools) -> Self {
        self.dynamic = Some(dynamic);
        self
    }

    /// The same with another number of tools from which on they have to be looked for.
    pub fn with_defer_over(mut self, tools: usize) -> Self {
        self.defer_over = tools;
        self
    }

    /// The same with another way to a server than its command: an application that confines its processes starts it.
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
