//! A client of one server: starts it, lists its tools, and starts it again after it ended.

pub(crate) mod ask;
pub(crate) mod catalogue;
pub(crate) mod client_inner;
pub(crate) mod connection;
pub(crate) mod failed;
pub(crate) mod field;
pub(crate) mod handler;
pub(crate) mod listen;
pub(crate) mod log;
pub(crate) mod news;
pub(crate) mod options;
pub(crate) mod over_http;
pub(crate) mod pages;
pub(crate) mod param_headers;
pub(crate) mod resources;
pub(crate) mod rounds;
pub(crate) mod sampling;
pub(crate) mod tool;
pub(crate) mod trace;

use std::fmt;
use std::sync::{Arc, PoisonError};

use futures_util::future::join_all;
use windlass_tool::Tool;
use windlass_toolbox::{Identity, ToolboxBuilder};

use self::client_inner::ClientInner;
use self::log::LogLine;
pub use self::options::{ClientOptions, ToolWrapper};
use self::tool::McpTool;
use crate::address::Address;
use crate::server::Reach;
use crate::transport::child::ChildConnector;
use crate::{AcceptedTools, Connector, Definition, McpServer, RefusedTool, SkippedMessages, StartError};

/// The transport to a server.
#[derive(Clone)]
pub(crate) enum Way {
    Pipes(Arc<dyn Connector>),
    Http(Address),
}

/// A client of one MCP server. Clones share the connection.
///
/// It connects when [`refresh`](Self::refresh) or a call needs it, and reconnects after the server ended.
/// Each of [`tools`](Self::tools) runs only while its definition is unchanged. The connection ends when the
/// last clone and the last of its tools are dropped; a child process then gets half a second to exit after
/// its input closed and half a second after SIGTERM, before its process group is killed.
///
/// ```
/// use windlass_mcp::{ClientOptions, McpClient, McpServer};
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let client = McpClient::new(McpServer::new("files", "/no/such/program")?, ClientOptions::default());
/// assert!(client.refresh().await.is_err(), "the program does not exist");
/// assert!(client.tools().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct McpClient(Arc<ClientInner>);

impl Way {
    /// Returns the end of the server's standard error output. It is empty over HTTP.
    fn stderr_tail(&self) -> String {
        match self {
            Self::Pipes(connector) => connector.stderr_tail(),
            Self::Http(_) => String::new(),
        }
    }
}

impl McpClient {
    /// Starts the server's program or connects to its URL, and waits until its tools are listed.
    ///
    /// # Errors
    /// If the server cannot be started or reached, exceeds `McpLimits::start`, requires a sign-in, or does not
    /// speak MCP.
    pub async fn start(server: McpServer, options: ClientOptions) -> Result<Self, StartError> {
        let client = Self::new(server, options);
        client.refresh().await?;
        Ok(client)
    }

    /// Creates a client without connecting. [`refresh`](Self::refresh) and the first call connect.
    pub fn new(server: McpServer, options: ClientOptions) -> Self {
        let way = match server.reach() {
            Reach::Program(program) => Way::Pipes(Arc::new(ChildConnector::new(program.clone()))),
            Reach::Address(address) => Way::Http(address.clone()),
        };
        Self(Arc::new(ClientInner::new(server, way, options)))
    }

    /// Starts several servers concurrently. A server that fails does not delay or stop the others (RULES M4).
    pub async fn start_all(
        servers: impl IntoIterator<Item = McpServer>,
        options: &ClientOptions,
    ) -> Vec<(McpServer, Result<Self, StartError>)> {
        join_all(servers.into_iter().map(async |server| {
            let started = Self::start(server.clone(), options.clone()).await;
            (server, started)
        }))
        .await
    }

    /// Connects to a server with the given connector instead of its program or URL, and lists its tools.
    ///
    /// # Errors
    /// See [`start`](Self::start).
    pub async fn connect(
        server: McpServer,
        connector: Arc<dyn Connector>,
        options: ClientOptions,
    ) -> Result<Self, StartError> {
        let client = Self::with_connector(server, connector, options);
        client.refresh().await?;
        Ok(client)
    }

    /// Creates a client with the given connector instead of the server's program or URL, without connecting.
    pub fn with_connector(server: McpServer, connector: Arc<dyn Connector>, options: ClientOptions) -> Self {
        Self(Arc::new(ClientInner::new(server, Way::Pipes(connector), options)))
    }

    /// Returns the server's configuration.
    pub fn server(&self) -> &McpServer {
        &self.0.server
    }

    /// Returns the server's id.
    pub fn id(&self) -> &str {
        self.0.server.id()
    }

    /// Lists the tools again if the server announced a change, and reconnects if it ended. Call it between
    /// turns: [`tools`](Self::tools) returns the new list afterwards.
    ///
    /// # Errors
    /// If the server cannot be started or reached now. A later call tries again.
    pub async fn refresh(&self) -> Result<(), StartError> {
        self.0.ready().await.map(drop)
    }

    /// Returns the listed tools that are enabled. Each is pinned to its definition: after the server changed
    /// it, the old tool does not run.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools_with_identities().into_iter().map(|(_, tool)| tool).collect()
    }

    /// Returns the enabled tools with the identities under which a toolbox registers them (RULES N2).
    pub fn tools_with_identities(&self) -> Vec<(Identity, Arc<dyn Tool>)> {
        let tool = |definition: &Arc<Definition>| {
            let identity = Identity::mcp(&definition.server, &definition.name);
            let tool = McpTool::new(self.0.clone(), definition.clone(), &identity);
            (identity, self.wrap_tool(Arc::new(tool)))
        };
        self.list_enabled().iter().map(tool).collect()
    }

    /// Applies the application's wrapper ([`ClientOptions::each`]) to a tool, if there is one.
    pub(crate) fn wrap_tool(&self, tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
        match &self.0.each {
            Some(wrap) => wrap(self, tool),
            None => tool,
        }
    }

    /// Returns the definitions of the enabled tools.
    pub(crate) fn list_enabled(&self) -> Vec<Arc<Definition>> {
        let is_enabled = |definition: &Arc<Definition>| self.0.server.enables(&definition.name);
        self.definitions().into_iter().filter(is_enabled).collect()
    }

    /// Adds the enabled tools to a toolbox.
    pub fn add_to(&self, builder: ToolboxBuilder) -> ToolboxBuilder {
        self.tools_with_identities()
            .into_iter()
            .fold(builder, |builder, (identity, tool)| builder.tool_as(identity, tool))
    }

    /// Returns the definitions of all listed tools, including disabled ones.
    pub fn definitions(&self) -> Vec<Arc<Definition>> {
        self.0.catalogue().tools.values().cloned().collect()
    }

    /// Returns the definitions that no human has accepted in their current form. An application can display
    /// them before it offers the tools, because a model reads their untrusted descriptions before any call is
    /// approved.
    pub fn definitions_to_accept(&self) -> Vec<Arc<Definition>> {
        let accepted = self.0.accepted.read().unwrap_or_else(PoisonError::into_inner);
        self.definitions().into_iter().filter(|definition| !accepted.is_known(definition)).collect()
    }

    /// Returns the listed tools that were refused, with the reasons.
    pub fn list_refused_tools(&self) -> Vec<RefusedTool> {
        self.0.catalogue().refused.clone()
    }

    /// Records that a human accepted the tool with this fingerprint. Returns false, and records nothing, if
    /// the tool now has another fingerprint.
    pub fn accept(&self, tool: &str, fingerprint: &str) -> bool {
        let catalogue = self.0.catalogue();
        let reading = self.reading();
        let listed = catalogue.tools.get(tool).map(|definition| &**definition);
        let listed = listed.or_else(|| (reading.name == tool).then_some(&reading));
        let Some(definition) = listed.filter(|known| known.fingerprint == fingerprint) else { return false };
        self.0.accepted.write().unwrap_or_else(PoisonError::into_inner).accept(definition);
        true
    }

    /// Returns the last `WWW-Authenticate` challenge of the server, for [`McpServer::login`].
    pub fn challenge(&self) -> Option<String> {
        self.0.challenge()
    }

    /// Returns whether there is a connection now.
    pub fn is_connected(&self) -> bool {
        self.0.is_connected()
    }

    /// Returns the negotiated version of MCP, such as `2026-07-28`, or `None` without a connection.
    pub fn protocol_version(&self) -> Option<String> {
        self.0.protocol_version()
    }

    /// Returns whether the server announced the resources capability.
    pub fn has_resources(&self) -> bool {
        self.0.has_resources()
    }

    pub(crate) async fn list_again(&self) -> Result<(), StartError> {
        self.0.list_again().await
    }

    /// Waits until the server's connection or list of tools changes. Cancel-safe.
    pub(crate) async fn wait_for_change(&self) {
        self.0.wait_for_change().await;
    }

    /// Returns the definition that a human accepts to allow reading the server's resources.
    pub fn reading(&self) -> Definition {
        Definition::reading(self.id(), self.0.server.origin())
    }

    pub(crate) fn knows(&self, definition: &Definition) -> bool {
        self.0.accepted.read().unwrap_or_else(PoisonError::into_inner).is_known(definition)
    }

    pub(crate) fn acceptance(&self) -> &AcceptedTools {
        &self.0.accepted
    }

    /// Returns the counts of the server's messages that were skipped or refused.
    pub fn skip_counts(&self) -> SkippedMessages {
        self.0.skip_counts()
    }

    /// Returns the last lines of the server's log, safe to display.
    pub fn log(&self) -> Vec<LogLine> {
        self.0.log().lines()
    }

    /// Closes the client for good. A running call ends soon with the status `EffectsUnknown`, because the
    /// server may have run it; later calls get an error.
    pub async fn stop(&self) {
        self.0.stop().await;
    }
}

impl fmt::Debug for McpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpClient").field("server", &self.0.server).finish_non_exhaustive()
    }
}
