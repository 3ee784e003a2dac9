//! All servers of a program together: started beside each other, watched, and used by their own names.

pub(crate) mod offer;
pub(crate) mod options;
pub(crate) mod ranking;
pub(crate) mod reader;
pub(crate) mod requests;
pub(crate) mod search;
pub(crate) mod status;
pub(crate) mod watch;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tokio::task::JoinHandle;
use windlass_protocol::{Arguments, Payload};
use windlass_tool::{Context, Output, Tool, ToolError};
use windlass_toolbox::{Identity, ToolboxBuilder};

use self::offer::Offers;
pub use self::options::{ConnectionOptions, Listener};
use self::reader::ResourceReader;
use self::status::Board;
pub use self::status::{ServerEvent, ServerStatus};
use crate::{Definition, McpClient, McpServer, Presence, StartError};

/// The servers of a program. Cheap to clone; when the last clone and the last tool are gone, so are the servers.
///
/// ```
/// use windlass_mcp::{ConnectionOptions, McpConnections, McpServer, ServerStatus};
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let servers = [McpServer::new("files", "/no/such/program")?];
/// let connections = McpConnections::start(servers, ConnectionOptions::default()).await?;
/// connections.settled().await;
/// assert!(matches!(connections.status()[0].1, ServerStatus::Failed { .. }), "and everything goes on without it");
/// assert!(connections.tools().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct McpConnections(Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) clients: BTreeMap<String, McpClient>,
    pub(crate) board: Board,
    offers: Offers,
    /// The tools as they were at the beginning of the turn, by server and name.
    shelf: RwLock<Shelf>,
    watches: Mutex<Vec<JoinHandle<()>>>,
}

type Shelf = BTreeMap<String, BTreeMap<String, Arc<dyn Tool>>>;

/// Why nothing begins.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionsError {
    /// Two servers have one name.
    #[error("two servers have the name {0}")]
    Duplicate(String),
    /// A server has to be there and is not.
    #[error("a required server is not there")]
    Required(#[source] StartError),
}

impl McpConnections {
    /// Starts servers beside each other and waits for those that have to be there. The others come when they come, and
    /// one that fails stops nobody (RULES M4). Dropping the future stops what was started.
    ///
    /// # Errors
    /// If two servers have one name, or one that has to be there is not.
    pub async fn start(
        servers: impl IntoIterator<Item = McpServer>,
        options: ConnectionOptions,
    ) -> Result<Self, ConnectionsError> {
        let (given, connectors) = (options.client.clone(), options.connectors.clone());
        let clients = servers.into_iter().map(|server| match connectors.get(server.id()) {
            Some(connector) => McpClient::reached_by(server, connector.clone(), given.clone()),
            None => McpClient::of(server, given.clone()),
        });
        Self::of(clients, options).await
    }

    /// The same with clients that are reached in ways of their own, and need not be connected yet.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub async fn of(
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
        let shared =
            Arc::new(Shared { clients, board, offers, shelf: RwLock::default(), watches: Mutex::default() });
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

    /// Waits until no server is starting any more. Cancel-safe.
    pub async fn settled(&self) {
        self.0.board.settled().await;
        self.begin_turn();
    }

    /// The servers and what became of them, in the order of their names.
    pub fn status(&self) -> Vec<(String, ServerStatus)> {
        self.0.board.all()
    }

    /// A server by its name here.
    pub fn client(&self, server: &str) -> Option<&McpClient> {
        self.0.clients.get(server)
    }

    /// All servers.
    pub fn clients(&self) -> impl Iterator<Item = &McpClient> {
        self.0.clients.values()
    }

    /// Takes the lists of tools as they are now. For a turn's beginning: within one, what a name stands for stays the
    /// same (RULES M1).
    pub fn begin_turn(&self) {
        let of_client = |client: &McpClient| {
            let named = client.registered().into_iter().filter_map(|(identity, tool)| {
                let (_, name) = identity.remote()?;
                Some((name.to_owned(), tool))
            });
            (client.id().to_owned(), named.collect())
        };
        let rows = self.0.clients.values().map(of_client).collect();
        *self.0.shelf.write().unwrap_or_else(PoisonError::into_inner) = rows;
    }

    /// All tools of all servers as of this turn.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let rows = self.0.shelf.read().unwrap_or_else(PoisonError::into_inner);
        rows.values().flat_map(BTreeMap::values).cloned().collect()
    }

    /// The servers and the names of their tools, sorted.
    pub fn names(&self) -> Vec<(String, Vec<String>)> {
        let rows = self.0.shelf.read().unwrap_or_else(PoisonError::into_inner);
        rows.iter().map(|(server, tools)| (server.clone(), tools.keys().cloned().collect())).collect()
    }

    /// A tool of a server by the server's own name for it, as of this turn.
    pub fn tool(&self, server: &str, tool: &str) -> Option<Arc<dyn Tool>> {
        let rows = self.0.shelf.read().unwrap_or_else(PoisonError::into_inner);
        rows.get(server)?.get(tool).cloned()
    }

    /// What reads a server's resources: a tool that takes `{"uri": "…"}`. None for a server that has none.
    pub fn reader(&self, server: &str) -> Option<Arc<dyn Tool>> {
        let client = self.0.clients.get(server).filter(|client| client.has_resources())?;
        Some(client.wrapped(Arc::new(ResourceReader::new(client.clone()))))
    }

    /// Adds the tools as of this turn to a toolbox.
    pub fn add_to(&self, builder: ToolboxBuilder) -> ToolboxBuilder {
        let rows = self.0.shelf.read().unwrap_or_else(PoisonError::into_inner);
        rows.iter().fold(builder, |builder, (server, tools)| {
            tools.iter().fold(builder, |builder, (name, tool)| {
                builder.tool_as(Identity::mcp(server, name), tool.clone())
            })
        })
    }

    /// Calls a tool of a server. Nothing is asked here: policy is before it. Cancel-safe: dropping the future tells the
    /// server to stop.
    ///
    /// # Errors
    /// What a model is told: no such server or tool, one that is switched off or changed, a server that cannot be had.
    pub async fn call_tool(
        &self,
        server: &str,
        tool: &str,
        arguments: Arguments,
        ctx: &Context,
    ) -> Result<Output, ToolError> {
        let Some(found) = self.tool(server, tool) else { return Err(self.unknown(server, tool)) };
        found.call(ctx, &Payload::Function { arguments }).await
    }

    /// Ends all servers, and offers nothing of them any more. Calls that run get an error, later ones too.
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

    /// What there is instead, in words for the model (RULES M6).
    fn unknown(&self, server: &str, tool: &str) -> ToolError {
        let Some(client) = self.0.clients.get(server) else {
            let names: Vec<&str> = self.0.clients.keys().map(String::as_str).collect();
            return ToolError::model(format!("there is no server {server}; there are: {}", listed(&names)));
        };
        if !client.server().enables(tool) {
            return ToolError::model(format!(
                "{tool} of the server {server} is switched off; nothing was sent"
            ));
        }
        let names = self.names();
        let tools = names.iter().find(|(id, _)| id == server).map(|(_, tools)| tools.as_slice());
        let tools: Vec<&str> = tools.unwrap_or_default().iter().map(String::as_str).collect();
        ToolError::model(format!("the server {server} has no tool {tool}; it has: {}", listed(&tools)))
    }
}

impl Shared {
    /// Something about a server is new: it is told, and its tools are offered as they are now.
    pub(crate) fn renew(self: &Arc<Self>, server: &str, status: ServerStatus) {
        self.offers.renew(&self.clients, &Arc::downgrade(self));
        self.board.set(server, status);
    }

    /// All tools that may be used, as they are listed now.
    pub(crate) fn definitions(&self) -> Vec<Arc<Definition>> {
        self.clients.values().flat_map(McpClient::enabled).collect()
    }

    /// These were looked for: they are offered from the next turn on.
    pub(crate) fn found(self: &Arc<Self>, tools: impl Iterator<Item = (String, String)>) {
        self.offers.found(tools);
        self.offers.renew(&self.clients, &Arc::downgrade(self));
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

fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 40;
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

impl fmt::Debug for McpConnections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpConnections").field("servers", &self.0.clients.keys()).finish_non_exhaustive()
    }
}
