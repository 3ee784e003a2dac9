//! One connection: the `rmcp` engine, and the requests that wait for the raw text of their answers.

use std::any::Any;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use rmcp::RoleClient;
use rmcp::model::{ClientRequest, GetExtensions, GetMeta, ProtocolVersion, ServerPeerInfo};
use rmcp::service::{
    ClientInitializeError, ClientServiceExt as _, Peer, PeerRequestOptions, RequestHandle, RunningService,
};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use tokio::time::{Instant, sleep};
use windlass_tool::{CancellationToken, DropGuard};

use super::handler::Handler;
use crate::failure::Failure;
use crate::transport::http_error::HttpError;
use crate::transport::ledger::{CallBody, Ledger, Reply, Ticket};
use crate::transport::lines::Lines;
use crate::{Lifecycle, McpLimits, Pipes};

/// Upper bound of a request's duration with progress messages, as a multiple of [`Wait::limit`].
const EXTENSIONS: u32 = 30;

/// Maximum number of a server's versions in an error.
const VERSIONS: usize = 8;

/// A connection. Dropping it ends its tasks and drops the child process or other value that it holds.
pub(crate) struct Connection {
    running: RunningService<RoleClient, Handler>,
    ledger: Arc<Ledger>,
    handler: Handler,
    /// Held while a human or a model answers the questions of one request.
    turn: tokio::sync::Mutex<()>,
    _end: DropGuard,
    _held: Box<dyn Any + Send + Sync>,
}

/// Timeout, cancellation and progress callback of a request.
#[derive(Clone, Copy)]
pub(crate) struct Wait<'a> {
    /// Timeout since the request or the last progress message. It restarts while a human answers the server's
    /// question (RULES M2).
    pub(crate) limit: Duration,
    pub(crate) stop: &'a CancellationToken,
    /// Callback for progress messages.
    pub(crate) told: &'a (dyn Fn(String) + Send + Sync),
}

/// An open request. Dropping it before the answer sends `notifications/cancelled`.
struct Open<'a> {
    ledger: &'a Ledger,
    ticket: Ticket,
    handle: Option<RequestHandle<RoleClient>>,
}

impl Connection {
    /// Connects over two pipes and opens the connection.
    pub(crate) async fn connect_pipes(
        pipes: Pipes,
        handler: Handler,
        lifecycle: Lifecycle,
        limits: &McpLimits,
    ) -> Result<Self, ClientInitializeError> {
        let ledger = handler.ledger().clone();
        let lines =
            Lines::new(pipes.reader, pipes.writer, ledger, (limits.frame_bytes, lifecycle.probe(limits)));
        Self::connect(lines, handler, lifecycle, pipes.held).await
    }

    /// Opens the connection over a transport that records its requests in the handler's ledger.
    pub(crate) async fn connect<T>(
        transport: T,
        handler: Handler,
        lifecycle: Lifecycle,
        held: Box<dyn Any + Send + Sync>,
    ) -> Result<Self, ClientInitializeError>
    where
        T: Transport<RoleClient> + 'static,
    {
        let (ledger, kept) = (handler.ledger().clone(), handler.clone());
        // The guard also ends the transport's tasks if this future is dropped.
        let end = ledger.end_token().clone().drop_guard();
        let running = handler.serve_with_lifecycle(transport, lifecycle.to_mode()).await?;
        Ok(Self {
            running,
            ledger,
            handler: kept,
            turn: tokio::sync::Mutex::default(),
            _end: end,
            _held: held,
        })
    }

    pub(crate) fn is_over(&self) -> bool {
        self.ledger.end_token().is_cancelled() || self.running.is_closed()
    }

    pub(crate) fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    pub(crate) fn handler(&self) -> &Handler {
        &self.handler
    }

    pub(crate) fn turn(&self) -> &tokio::sync::Mutex<()> {
        &self.turn
    }

    pub(crate) fn peer(&self) -> &Peer<RoleClient> {
        self.running.peer()
    }

    /// Returns the server's `initialize` or `server/discover` result.
    pub(crate) fn server(&self) -> Option<Arc<ServerPeerInfo>> {
        self.running.peer_info()
    }

    /// Returns the negotiated version of MCP.
    pub(crate) fn protocol_version(&self) -> Option<String> {
        self.server().map(|server| server.protocol_version.as_str().to_owned())
    }

    /// Checks that the negotiated version of MCP is known to `rmcp`, and has the handshake that was used.
    pub(crate) fn version(&self) -> Result<(), String> {
        let version = self.server().map(|server| server.protocol_version.clone());
        match version {
            Some(version) if !version.has_initialize() && !self.ledger.is_stateless() => {
                let version = windlass_hitl::display_safe(version.as_str());
                Err(format!("it answered initialize with version {version}, which has no initialize"))
            }
            Some(version) if ProtocolVersion::KNOWN_VERSIONS.contains(&version) => Ok(()),
            Some(version) => {
                let version = windlass_hitl::display_safe(version.as_str());
                Err(format!("it speaks version {version} of MCP, which is not supported"))
            }
            None => Err("its answer to initialize is not valid".to_owned()),
        }
    }

    /// Sends a request and waits for the answer, which may require input. Dropping the future cancels the
    /// request.
    pub(crate) async fn exchange(
        &self,
        request: impl Into<ClientRequest>,
        body: CallBody,
        wait: Wait<'_>,
    ) -> Reply {
        let (ticket, mut returns) = Ticket::new(body);
        let mut request = request.into();
        request.extensions_mut().insert(ticket.clone());
        if let Some(trace) = self.handler.trace_parent() {
            request.get_meta_mut().set_traceparent(trace);
        }
        let sent = self.running.send_request_with_option(request, PeerRequestOptions::no_options()).await;
        let Ok(handle) = sent else { return Err(Failure::NotSent) };
        let mut open = Open { ledger: &self.ledger, ticket, handle: Some(handle) };
        let end = Instant::now() + wait.limit.saturating_mul(EXTENSIONS);
        let mut deadline = pin!(sleep(wait.limit));
        let mut is_heard_of = false;
        loop {
            tokio::select! {
                biased;
                reply = &mut returns.reply => {
                    open.handle = None;
                    while let Ok(word) = returns.progress.try_recv() {
                        (wait.told)(word);
                    }
                    return reply.unwrap_or(Err(Failure::Gone));
                }
                () = wait.stop.cancelled() => return Err(Failure::Cancelled),
                () = self.ledger.end_token().cancelled() => return Err(open.to_lost_failure()),
                is_answered = open.engine(), if !is_heard_of => {
                    if !is_answered {
                        open.handle = None;
                        return Err(open.to_lost_failure());
                    }
                    // The engine has an answer, so the raw text has arrived or arrives next.
                    is_heard_of = true;
                }
                Some(word) = returns.progress.recv() => {
                    (wait.told)(word);
                    let rest = end.saturating_duration_since(Instant::now());
                    deadline.set(sleep(wait.limit.min(rest)));
                }
                // The human's answer has a timeout of its own.
                () = &mut deadline => if self.handler.is_asking() {
                    deadline.set(sleep(wait.limit));
                } else {
                    return Err(Failure::TimedOut(wait.limit));
                },
            }
        }
    }
}

impl Open<'_> {
    /// Waits for the engine's half of the answer. Returns false if the engine will not get one.
    async fn engine(&mut self) -> bool {
        match &mut self.handle {
            Some(handle) => matches!((&mut handle.rx).await, Ok(Ok(_))),
            None => false,
        }
    }

    fn to_lost_failure(&self) -> Failure {
        if self.ticket.is_sent() { Failure::Gone } else { Failure::NotSent }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.ticket.give_up();
        if let Some(handle) = self.handle.take() {
            self.ledger.forget(&handle.id);
            // The first poll queues the notification after the request; its delivery is not awaited.
            let _ = handle
                .cancel(Some(
                    "the caller no longer waits for the \
                     answer"
                        .to_owned(),
                ))
                .now_or_never();
        }
    }
}

/// Describes the reason why the handshake failed.
pub(crate) fn describe_error(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::Cancelled => {
            "it ended".to_owned()
        }
        ClientInitializeError::JsonRpcError(error) => format!(
            "it answered with error {}: {}",
            error.code.0,
            windlass_hitl::display_safe(&error.message)
        ),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => describe_error(fallback),
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions = server_supported.iter().take(VERSIONS).map(ProtocolVersion::as_str);
            let versions = windlass_hitl::display_safe(&versions.collect::<Vec<_>>().join(", "));
            format!("it speaks the versions [{versions}] of MCP, which are not supported")
        }
        ClientInitializeError::TransportError { error, .. } => {
            match error.error.downcast_ref::<StreamableHttpError<HttpError>>() {
                Some(error) => Failure::from_http(error).describe(),
                None => "it ended".to_owned(),
            }
        }
        _ => "its answer to the first request is not valid".to_owned(),
    }
}
