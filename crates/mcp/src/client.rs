//! A server that is used: started, listed, started again when it ended.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use futures_util::future::join_all;
use tokio::time::Instant;
use windlass_tool::{Human, Tool};
use windlass_toolbox::{Identity, ToolboxBuilder};

use crate::ask::Asks;
use crate::catalogue::Catalogue;
use crate::child::ChildConnector;
use crate::connection::Connection;
use crate::greeting::greet;
use crate::tool::McpTool;
use crate::{AcceptedTools, Connector, Definition, McpServer, Noise, RefusedTool, StartError};

/// What the application gives to all servers.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ClientOptions {
    /// What a human has accepted.
    pub accepted: AcceptedTools,
    /// Whom servers may ask; without her, no server may ask anybody.
    pub human: Option<Arc<dyn Human>>,
}

/// A server that is used.
///
/// It lives as long as this and its tools do; then its whole process group is killed.
#[derive(Clone)]
pub struct McpClient(Arc<Used>);

pub(crate) struct Used {
    pub(crate) server: McpServer,
    pub(crate) accepted: AcceptedTools,
    connector: Arc<dyn Connector>,
    human: Option<Arc<dyn Human>>,
    state: tokio::sync::Mutex<State>,
    /// How often in a row it ended without an answer between.
    ends: AtomicU32,
    catalogue: RwLock<Arc<Catalogue>>,
    noise: Arc<Mutex<Noise>>,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<Connection>>,
    not_before: Option<Instant>,
    is_stopped: bool,
}

impl ClientOptions {
    /// The same with what a human has accepted.
    pub fn with_accepted(mut self, accepted: AcceptedTools) -> Self {
        self.accepted = accepted;
        self
    }

    /// The same, and servers may ask this human. Each question names its server, and nobody else answers it.
    pub fn with_human(mut self, human: Arc<dyn Human>) -> Self {
        self.human = Some(human);
        self
    }
}

impl McpClient {
    /// Starts a server's program, and waits until its tools are listed.
    ///
    /// # Errors
    /// If the program cannot be started, takes too long, or does not speak MCP.
    pub async fn start(server: McpServer, options: ClientOptions) -> Result<Self, StartError> {
        let connector = Arc::new(ChildConnector::new(server.clone()));
        Self::connect(server, connector, options).await
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
        let used = Used {
            server,
            accepted: options.accepted,
            connector,
            human: options.human,
            state: tokio::sync::Mutex::default(),
            ends: AtomicU32::new(0),
            catalogue: RwLock::default(),
            noise: Arc::default(),
        };
        let client = Self(Arc::new(used));
        client.refresh().await?;
        Ok(client)
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
        let catalogue = self.0.catalogue();
        let tool = |definition: &Arc<Definition>| {
            let identity = Identity::mcp(&definition.server, &definition.name);
            let tool = McpTool::new(self.0.clone(), definition.clone(), &identity);
            (identity, Arc::new(tool) as Arc<dyn Tool>)
        };
        catalogue.tools.values().map(tool).collect()
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
        let Some(definition) = catalogue.tools.get(tool).filter(|known| known.fingerprint == fingerprint)
        else {
            return false;
        };
        self.0.accepted.write().unwrap_or_else(PoisonError::into_inner).accept(definition);
        true
    }

    /// What the server wrote that nobody could use.
    pub fn noise(&self) -> Noise {
        *self.0.noise.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the server now. Calls that run get an error, later ones too: it is not started again.
    pub async fn stop(&self) {
        let mut state = self.0.state.lock().await;
        *state = State { is_stopped: true, ..State::default() };
    }
}

impl Used {
    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        self.catalogue.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// It answered: the next end counts as the first.
    pub(crate) fn is_well(&self) {
        self.ends.store(0, Ordering::Relaxed);
    }

    /// A connection whose tools are listed.
    pub(crate) async fn ready(&self) -> Result<Arc<Connection>, StartError> {
        let mut state = self.state.lock().await;
        let server = || self.server.id().to_owned();
        if state.is_stopped {
            return Err(StartError::Stopped { server: server() });
        }
        if state.connection.as_ref().is_some_and(|connection| connection.is_over()) {
            self.ended(&mut state);
        }
        if let Some(connection) = state.connection.clone() {
            if connection.take_list_changed()
                && let Err(error) = self.within_start(self.list(&connection)).await
            {
                connection.put_list_changed();
                return Err(error);
            }
            return Ok(connection);
        }
        let wait = state.not_before.map(|then| then.saturating_duration_since(Instant::now()));
        if let Some(wait) = wait.filter(|wait| !wait.is_zero()) {
            return Err(StartError::Waiting { server: server(), wait });
        }
        match self.within_start(self.open()).await {
            Ok(connection) => {
                state.connection = Some(connection.clone());
                Ok(connection)
            }
            Err(error) => {
                self.ended(&mut state);
                Err(error)
            }
        }
    }

    fn ended(&self, state: &mut State) {
        let ends = self.ends.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        state.connection = None;
        state.not_before = Some(Instant::now() + self.server.limits().wait_after(ends));
    }

    async fn open(&self) -> Result<Arc<Connection>, StartError> {
        let pipes = self.connector.connect().await;
        let pipes =
            pipes.map_err(|source| StartError::Connect { server: self.server.id().to_owned(), source })?;
        let asks = Asks::new(self.server.id(), self.human.clone());
        let limits = self.server.limits();
        let connection = Connection::open(pipes, asks.clone(), limits.frame_bytes, self.noise.clone());
        greet(&connection, &asks, limits.beyond_start()).await.map_err(|why| self.unfit(why))?;
        // What changed before the first list is in it.
        connection.take_list_changed();
        let connection = Arc::new(connection);
        self.list(&connection).await?;
        Ok(connection)
    }

    async fn list(&self, connection: &Connection) -> Result<(), StartError> {
        let listed = Catalogue::list(connection, &self.server).await.map_err(|why| self.unfit(why))?;
        *self.catalogue.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(listed);
        Ok(())
    }

    async fn within_start<T>(
        &self,
        work: impl Future<Output = Result<T, StartError>>,
    ) -> Result<T, StartError> {
        let after = self.server.limits().start;
        let timed_out =
            |_| StartError::TimedOut { server: self.server.id().to_owned(), after, heard: self.heard() };
        tokio::time::timeout(after, work).await.map_err(timed_out)?
    }

    fn unfit(&self, why: String) -> StartError {
        StartError::Unfit { server: self.server.id().to_owned(), why, heard: self.heard() }
    }

    /// What the server said beside the protocol, for the end of a sentence.
    fn heard(&self) -> String {
        let heard = windlass_hitl::display_safe(&self.connector.heard());
        if heard.is_empty() { heard } else { format!("; it said: {heard}") }
    }
}

impl fmt::Debug for McpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpClient").field("server", &self.0.server).finish_non_exhaustive()
    }
}

impl fmt::Debug for ClientOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientOptions").field("has_human", &self.human.is_some()).finish_non_exhaustive()
    }
}
