//! A server that is used: started, listed, started again when it ended.

pub(crate) mod ask;
pub(crate) mod catalogue;
pub(crate) mod connection;
pub(crate) mod failed;
pub(crate) mod field;
pub(crate) mod handler;
pub(crate) mod log;
pub(crate) mod news;
pub(crate) mod options;
pub(crate) mod over_http;
pub(crate) mod pages;
pub(crate) mod resources;
pub(crate) mod sampling;
pub(crate) mod tool;
pub(crate) mod used;

use std::fmt;
use std::sync::{Arc, PoisonError};

use futures_util::future::join_all;
use windlass_tool::Tool;
use windlass_toolbox::{Identity, ToolboxBuilder};

use self::log::LogLine;
pub use self::options::{ClientOptions, Wrap};
use self::tool::McpTool;
use self::used::Used;
use crate::address::Address;
use crate::server::Reach;
use crate::transport::child::ChildConnector;
use crate::{AcceptedTools, Connector, Definition, McpServer, Noise, RefusedTool, StartError};

/// How a server is reached.
#[derive(Clone)]
pub(crate) enum Way {
    Pipes(Arc<dyn Connector>),
    Http(Address),
}

/// A server that is used.
///
/// It lives as long as this and its tools do; then its whole process group is killed.
#[derive(Clone)]
pub struct McpClient(Arc<Used>);

impl Way {
    /// What the server said beside the protocol.
    fn heard(&self) -> String {
        match self {
            Self::Pipes(connector) => connector.heard(),
            Self::Http(_) => String::new(),
        }
    }
}

impl McpClient {
    /// Starts a server's program or reaches its address, and waits until its tools are listed.
    ///
    /// # Errors
    /// If it cannot be started or reached, takes too long, wants a sign-in, or does not speak MCP.
    pub async fn start(server: McpServer, options: ClientOptions) -> Result<Self, StartError> {
        let client = Self::of(server, options);
        client.refresh().await?;
        Ok(client)
    }

    /// A client of a server that is not started yet: [`refresh`](Self::refresh) starts it, and so does a call.
    pub fn of(server: McpServer, options: ClientOptions) -> Self {
        let way = match server.reach() {
            Reach::Program(program) => Way::Pipes(Arc::new(ChildConnector::new(program.clone()))),
            Reach::Address(address) => Way::Http(address.clone()),
        };
        Self(Arc::new(Used::new(server, way, options)))
    }

    /// Starts servers beside each other. One that fails takes no time and nothing else from the others (RULES M4).
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

    /// Uses a server that is reached in another way than by its command.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub async fn connect(
        server: McpServer,
        connector: Arc<dyn Connector>,
        options: ClientOptions,
    ) -> Result<Self, StartError> {
        let client = Self::reached_by(server, connector, options);
        client.refresh().await?;
        Ok(client)
    }

    /// A client of a server that is reached in another way than by its command, and is not started yet.
    pub fn reached_by(server: McpServer, connector: Arc<dyn Connector>, options: ClientOptions) -> Self {
        Self(Arc::new(Used::new(server, Way::Pipes(connector), options)))
    }

    /// The server as it is configured.
    pub fn server(&self) -> &McpServer {
        &self.0.server
    }

    /// The server's name here.
    pub fn id(&self) -> &str {
        self.0.server.id()
    }

    /// Brings the list of tools up to date, if the server said that it changed, and starts it again if it ended. For the
    /// turn's boundary: [`tools`](Self::tools) gives the new ones after it.
    ///
    /// # Errors
    /// If the server cannot be had now; it is tried again later.
    pub async fn refresh(&self) -> Result<(), StartError> {
        self.0.ready().await.map(drop)
    }

    /// The tools as they are listed now, each pinned to its definition: when that changes, the old tool does not run.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.registered().into_iter().map(|(_, tool)| tool).collect()
    }

    /// The tools with what a toolbox registers them under (RULES N2).
    pub fn registered(&self) -> Vec<(Identity, Arc<dyn Tool>)> {
        let tool = |definition: &Arc<Definition>| {
            let identity = Identity::mcp(&definition.server, &definition.name);
            let tool = McpTool::new(self.0.clone(), definition.clone(), &identity);
            (identity, self.wrapped(Arc::new(tool)))
        };
        self.enabled().iter().map(tool).collect()
    }

    /// A tool of this server, with what the application puts around each.
    pub(crate) fn wrapped(&self, tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
        match &self.0.each {
            Some(wrap) => wrap(self, tool),
            None => tool,
        }
    }

    /// The definitions of the tools that may be used.
    pub(crate) fn enabled(&self) -> Vec<Arc<Definition>> {
        let is_enabled = |definition: &Arc<Definition>| self.0.server.enables(&definition.name);
        self.definitions().into_iter().filter(is_enabled).collect()
    }

    /// Adds the tools to a toolbox.
    pub fn add_to(&self, builder: ToolboxBuilder) -> ToolboxBuilder {
        self.registered()
            .into_iter()
            .fold(builder, |builder, (identity, tool)| builder.tool_as(identity, tool))
    }

    /// The tools' definitions as they are listed now.
    pub fn definitions(&self) -> Vec<Arc<Definition>> {
        self.0.catalogue().tools.values().cloned().collect()
    }

    /// The definitions that no human has accepted as they are now. An application may show them before it offers the
    /// tools to a model, whose words a model reads long before it calls.
    pub fn unaccepted(&self) -> Vec<Arc<Definition>> {
        let accepted = self.0.accepted.read().unwrap_or_else(PoisonError::into_inner);
        self.definitions().into_iter().filter(|definition| !accepted.is_known(definition)).collect()
    }

    /// The tools that are not taken, and why.
    pub fn refused(&self) -> Vec<RefusedTool> {
        self.0.catalogue().refused.clone()
    }

    /// A human has accepted a tool, as it has this fingerprint. Says whether it still has it; otherwise nothing is
    /// accepted.
    pub fn accept(&self, tool: &str, fingerprint: &str) -> bool {
        let catalogue = self.0.catalogue();
        let reading = self.reading();
        let listed = catalogue.tools.get(tool).map(|definition| &**definition);
        let listed = listed.or_else(|| (reading.name == tool).then_some(&reading));
        let Some(definition) = listed.filter(|known| known.fingerprint == fingerprint) else { return false };
        self.0.accepted.write().unwrap_or_else(PoisonError::into_inner).accept(definition);
        true
    }

    /// What the server said last about signing in, for [`McpServer::login`].
    pub fn challenge(&self) -> Option<String> {
        self.0.challenge()
    }

    /// Whether a connection is there now.
    pub fn is_connected(&self) -> bool {
        self.0.is_connected()
    }

    /// Whether the server says that it has resources.
    pub fn has_resources(&self) -> bool {
        self.0.has_resources()
    }

    /// Waits until something about the server changed: its list, its connection. Cancel-safe.
    pub(crate) async fn changed(&self) {
        self.0.changed().await;
    }

    /// What a human accepts when she lets the server's resources be read.
    pub fn reading(&self) -> Definition {
        Definition::reading(self.id(), self.0.server.origin())
    }

    pub(crate) fn knows(&self, definition: &Definition) -> bool {
        self.0.accepted.read().unwrap_or_else(PoisonError::into_inner).is_known(definition)
    }

    pub(crate) fn accepted(&self) -> &AcceptedTools {
        &self.0.accepted
    }

    /// What the server wrote that nobody could use.
    pub fn noise(&self) -> Noise {
        self.0.noise()
    }

    /// The last lines that the server logged, safe to show.
    pub fn log(&self) -> Vec<LogLine> {
        self.0.log().lines()
    }

    /// Ends the server now. Calls that run get an error, later ones too: it is not started again.
    pub async fn stop(&self) {
        self.0.stop().await;
    }
}

impl fmt::Debug for McpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpClient").field("server", &self.0.server).finish_non_exhaustive()
    }
}
