//! The MCP server over two pipes or HTTP.

use std::fmt;
use std::sync::Arc;

use rmcp::service::{RunningService, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::handler::{Handler, Hosts, Names};
use crate::http::{self, HttpError, HttpServerOptions};
use crate::{PromptHost, ResourceHost, ToolHost};

/// An MCP server that offers an implementation of [`ToolHost`] to clients.
///
/// It serves one client with [`serve`](Self::serve), or many over HTTP with [`serve_http`](Self::serve_http).
///
/// ```
/// use std::sync::Arc;
/// use tokio_util::sync::CancellationToken;
/// use windlass_mcp_server::{CallFuture, Caller, ToolHost, ToolServer};
/// use windlass_protocol::{Hints, ResultStatus, ToolCall, ToolName, ToolResult, ToolSpec};
///
/// /// One tool that says what it was given.
/// struct Echo;
///
/// impl ToolHost for Echo {
///     fn tools(&self) -> Vec<(ToolSpec, Hints)> {
///         let schema = r#"{"type":"object"}"#.parse().unwrap_or_default();
///         let spec = ToolName::new("echo").map(|name| ToolSpec::function(name, "Says it again.", schema));
///         spec.into_iter().map(|spec| (spec, Hints::read_only())).collect()
///     }
///
///     fn call(self: Arc<Self>, call: ToolCall, _: Caller) -> CallFuture {
///         Box::pin(async move { ToolResult::text(call.id.clone(), ResultStatus::Ok, call.payload.text()) })
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let (client, server) = tokio::io::duplex(1024);
/// drop(client);
/// let (reader, writer) = tokio::io::split(server);
/// // This client has gone before it said anything.
/// let end = ToolServer::new(Arc::new(Echo)).serve(reader, writer, CancellationToken::new()).await;
/// assert!(end.is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ToolServer {
    hosts: Hosts,
    names: Names,
}

/// Error of serving.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The client did not complete the MCP handshake.
    #[error("the client did not initialize the session: {why}")]
    NoClient {
        /// The reason.
        why: String,
    },
    /// The server's own task panicked or was aborted.
    #[error("the server's own task failed")]
    Task(#[from] tokio::task::JoinError),
    /// The HTTP server is not permitted to use its listener, or the listener failed.
    #[error(transparent)]
    Http(#[from] HttpError),
}

impl ToolServer {
    /// Creates a server of these tools, with the name `windlass` and this crate's version.
    pub fn new(host: Arc<dyn ToolHost>) -> Self {
        let (name, version) = ("windlass".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        let hosts = Hosts { tools: host, resources: None, prompts: None };
        Self { hosts, names: Names { name, version, instructions: None } }
    }

    /// Serves resources besides the tools.
    pub fn with_resources(mut self, resources: Arc<dyn ResourceHost>) -> Self {
        self.hosts.resources = Some(resources);
        self
    }

    /// Serves prompts besides the tools.
    pub fn with_prompts(mut self, prompts: Arc<dyn PromptHost>) -> Self {
        self.hosts.prompts = Some(prompts);
        self
    }

    /// Sets the name and version that clients see.
    pub fn with_name(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        (self.names.name, self.names.version) = (name.into(), version.into());
        self
    }

    /// Sets the instructions for the client's model.
    pub fn with_instructions(mut self, words: impl Into<String>) -> Self {
        self.names.instructions = Some(words.into());
        self
    }

    /// Serves one client over two pipes, until the client closes its end or `stop` is cancelled. Calls that
    /// are running then are stopped.
    ///
    /// # Errors
    /// If the client does not complete the MCP handshake.
    pub async fn serve(
        &self,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        stop: CancellationToken,
    ) -> Result<(), ServeError> {
        let handler = Handler::new(self.hosts.clone(), self.names.clone());
        let started = serve_server_with_ct(handler, (reader, writer), stop).await;
        let running: RunningService<_, _> =
            started.map_err(|error| ServeError::NoClient { why: error.to_string() })?;
        running.waiting().await?;
        Ok(())
    }

    /// Serves clients over streamable HTTP at the path `/mcp`, until `stop` is cancelled.
    ///
    /// # Errors
    /// [`ServeError::Http`] if the listener accepts other machines without the required options, or if it
    /// fails.
    pub async fn serve_http(
        &self,
        listener: TcpListener,
        options: HttpServerOptions,
        stop: CancellationToken,
    ) -> Result<(), ServeError> {
        let handler = Handler::new(self.hosts.clone(), self.names.clone());
        Ok(http::serve(listener, handler, options, stop).await?)
    }
}

impl fmt::Debug for ToolServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolServer").field("names", &self.names).finish_non_exhaustive()
    }
}
