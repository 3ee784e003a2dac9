//! The connections to all servers of a program: concurrent start, status, and the tools by server and name.

pub(crate) mod offer;
pub(crate) mod options;
pub(crate) mod proxy;
pub(crate) mod ranking;
pub(crate) mod reader;
pub(crate) mod requests;
pub(crate) mod search;
pub(crate) mod status;
mod turn_tools;
pub(crate) mod watch;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::task::JoinHandle;
use windlass_protocol::{Arguments, Payload};
use windlass_tool::{Context, Output, Tool, ToolError};
use windlass_toolbox::ToolboxBuilder;

use self::offer::Offers;
pub use self::options::{ConnectionOptions, Listener};
use self::reader::ResourceReader;
use self::status::Board;
pub use self::status::{ServerEvent, ServerStatus};
use self::turn_tools::TurnTools;
use crate::{Definition, McpClient, McpServer, Presence, StartError};

/// The connections to all MCP servers of a program. Clones share them.
///
/// The tools are a snapshot: [`begin_turn`](Self::begin_turn) updates it, so that a name keeps its meaning
/// within a turn. The servers end when the last clone and the last of the tools are dropped, or with
/// [`close`](Self::close).
///
/// ```
/// use windlass_mcp::{ConnectionOptions, McpConnections, McpServer, ServerStatus};
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let servers = [McpServer::new("files", "/no/such/program")?];
/// let connections = McpConnections::start(servers, ConnectionOptions::default()).await?;
/// connections.wait_until_settled().await;
/// assert!(matches!(connections.status()[0].1, ServerStatus::Failed { .. }), "and everything goes on without it");
/// assert!(connections.tools().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct McpConnections(Arc<Shared>);

/// A reference to the connections that does not keep the servers alive.
#[derive(Clone)]
pub struct WeakMcpConnections(Weak<Shared>);

pub(crate) struct Shared {
    pub(crate) clients: BTreeMap<String, McpClient>,
    pub(crate) board: Board,
    offers: Offers,
    renews_on_demand: bool,
    turn_tools: TurnTools,
    watches: Mutex<Vec<JoinHandle<()>>>,
}

/// Error of starting the connections.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionsError {
    /// Two servers have the same id.
    #[error("two servers have the name {0}")]
    Duplicate(String),
    /// A required server did not start.
    #[error("a required server is not available")]
    Required(#[source] StartError),
}

impl McpConnections {
    /// Starts the servers concurrently, and waits for the required ones. The others become ready later, and
    /// one that fails does not stop the rest (RULES M4). Dropping the future ends the servers.
    ///
    /// # Errors
    /// If two servers have the same id, or if a required server does not start.
    pub async fn start(
        servers: impl IntoIterator<Item = McpServer>,
        options: ConnectionOptions,
    ) -> Result<Self, ConnectionsError> {
        let (given, connectors) = (options.client.clone(), options.connectors.clone());
        let clients = servers.into_iter().map(|server| match connectors.get(server.id()) {
            Some(connector) => McpClient::with_connector(server, connector.clone(), given.clone()),
            None => McpClient::new(server, given.clone()),
        });
        Self::start_clients(clients, options).await
    }

    /// Starts connections from clients, which need not be connected yet. Use it for clients with connectors
    /// of their own.
    ///
    /// # Errors
    /// See [`start`](Self::start).
    pub async fn start_clients(
        each: impl IntoIterator<Item = McpClient>,
        options: ConnectionOptions,
    ) -> Result<Self, ConnectionsError> {
        let mut clients = BTreeMap::new();
        for client in each {
            let id = client.id().to_owned();
            if clients.insert(id.clone(), client).is_some() {
                return Err(ConnectionsError::Duplicate(id));
            }
        }
        let board = Board::new(clients.keys().cloned(), options.listener);
        let offers = Offers::new(options.dynamic, options.defer_over);
        let shared = Arc::new(Shared {
            clients,
            board,
            offers,
            renews_on_demand: options.renews_on_demand,
            turn_tools: TurnTools::default(),
            watches: Mutex::default(),
        });
        let this = Self(shared);
        let mut required = Vec::new();
        for client in this.0.clients.values() {
            let (watch, started) = watch::begin(&this.0, client.clone());
            this.0.watches.lock().unwrap_or_else(PoisonError::into_inner).push(watch);
            if client.server().presence() == Presence::Required {
                required.push(started);
            }
        }
        for started in required {
            if let Ok(Err(error)) = started.await {
                return Err(ConnectionsError::Required(error));
            }
        }
        this.begin_turn();
        Ok(this)
    }

    /// Waits until each server has started or failed, and starts a turn. Cancel-safe.
    pub async fn wait_until_settled(&self) {
        self.0.board.wait_until_settled().await;
        self.begin_turn();
    }

    /// Lists the tools of a server again without waiting for its notification, and offers them from the next turn on.
    /// Connects first if the server is not connected. An unknown server is ignored.
    ///
    /// # Errors
    /// If the server cannot be started or reached, or does not list its tools.
    pub async fn list_again(&self, server: &str) -> Result<(), StartError> {
        match self.0.clients.get(server) {
            Some(client) => watch::list_again(&self.0, client).await,
            None => Ok(()),
        }
    }

    /// Offers the current tools of all servers from the next turn on, and returns true if the offer changed. Only
    /// connections with [`ConnectionOptions::with_renewal_on_demand`] need it: the others do this when a list arrives.
    pub fn renew_offers(&self) -> bool {
        self.0.offers.renew(&self.0.clients, &Arc::downgrade(&self.0))
    }

    /// Returns a reference that does not keep the servers alive.
    pub fn downgrade(&self) -> WeakMcpConnections {
        WeakMcpConnections(Arc::downgrade(&self.0))
    }

    /// Returns the status of each server, sorted by id.
    pub fn status(&self) -> Vec<(String, ServerStatus)> {
        self.0.board.all()
    }

    /// Returns the client of a server by its id.
    pub fn client(&self, server: &str) -> Option<&McpClient> {
        self.0.clients.get(server)
    }

    /// Returns the clients of all servers, sorted by id.
    pub fn clients(&self) -> impl Iterator<Item = &McpClient> {
        self.0.clients.values()
    }

    /// Takes a new snapshot of the tools. Call it at the start of a turn: within one, a name keeps its
    /// meaning (RULES M1).
    pub fn begin_turn(&self) {
        self.0.turn_tools.renew(self.0.clients.values());
    }

    /// Returns all tools of all servers in this turn.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.0.turn_tools.all()
    }

    /// Returns the server ids and the names of their tools in this turn, both sorted.
    pub fn names(&self) -> Vec<(String, Vec<String>)> {
        self.0.turn_tools.names()
    }

    /// Returns a tool by server and by the server's own name for it, in this turn.
    pub fn tool(&self, server: &str, tool: &str) -> Option<Arc<dyn Tool>> {
        self.0.turn_tools.get(server, tool)
    }

    /// Returns a tool that reads the server's resources; its arguments are `{"uri": "…"}`. Returns `None` for
    /// a server without resources.
    pub fn reader(&self, server: &str) -> Option<Arc<dyn Tool>> {
        let client = self.0.clients.get(server).filter(|client| client.has_resources())?;
        Some(client.wrap_tool(Arc::new(ResourceReader::new(client.clone()))))
    }

    /// Adds the tools of this turn to a toolbox.
    pub fn add_to(&self, builder: ToolboxBuilder) -> ToolboxBuilder {
        self.0.turn_tools.add_to(builder)
    }

    /// Calls a tool of a server. It does not check a policy: the caller must do that first. Cancel-safe:
    /// dropping the future sends `notifications/cancelled`.
    ///
    /// # Errors
    /// An error text for the model, if the server or the tool is unknown, the tool is disabled or was changed,
    /// or the server cannot be started or reached.
    pub async fn call_tool(
        &self,
        server: &str,
        tool: &str,
        arguments: Arguments,
        ctx: &Context,
    ) -> Result<Output, ToolError> {
        let Some(found) = self.tool(server, tool) else {
            return Err(self.0.turn_tools.unknown(&self.0.clients, server, tool));
        };
        found.call(ctx, &Payload::Function { arguments }).await
    }

    /// Ends all servers and withdraws their tools. Running calls end as with
    /// [`McpClient::stop`](crate::McpClient::stop), and later calls get an error.
    pub async fn close(&self) {
        let watches = std::mem::take(&mut *self.0.watches.lock().unwrap_or_else(PoisonError::into_inner));
        for watch in watches {
            watch.abort();
        }
        self.0.offers.clear();
        for (id, client) in &self.0.clients {
            client.stop().await;
            self.0.board.set(id, ServerStatus::Closed);
        }
    }
}

impl WeakMcpConnections {
    /// Returns the connections, or `None` after they were dropped.
    pub fn upgrade(&self) -> Option<McpConnections> {
        self.0.upgrade().map(McpConnections)
    }
}

impl fmt::Debug for WeakMcpConnections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WeakMcpConnections").finish()
    }
}

impl Shared {
    /// Updates the offered tools and reports the server's status.
    pub(crate) fn renew(self: &Arc<Self>, server: &str, status: ServerStatus) {
        self.renew_unless_on_demand();
        self.board.set(server, status);
    }

    fn renew_unless_on_demand(self: &Arc<Self>) {
        if !self.renews_on_demand {
            self.offers.renew(&self.clients, &Arc::downgrade(self));
        }
    }

    /// Returns the current definitions of all enabled tools.
    pub(crate) fn definitions(&self) -> Vec<Arc<Definition>> {
        self.clients.values().flat_map(McpClient::list_enabled).collect()
    }

    /// Offers these tools, which a search found, from the next turn on.
    pub(crate) fn offer_found(self: &Arc<Self>, tools: impl Iterator<Item = (String, String)>) {
        self.offers.record_found(tools);
        self.renew_unless_on_demand();
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let watches = std::mem::take(self.watches.get_mut().unwrap_or_else(PoisonError::into_inner));
        for watch in watches {
            watch.abort();
        }
    }
}

impl fmt::Debug for McpConnections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpConnections").field("servers", &self.0.clients.keys()).finish_non_exhaustive()
    }
}
