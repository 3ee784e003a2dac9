//! The state of one server, which its clients and tools share: connection, list of tools, delays after ends.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::Duration;

use rmcp::service::ClientInitializeError;
use tokio::sync::Notify;
use tokio::time::Instant;
use windlass_tool::{CancellationToken, Human};

use super::ask::HumanRequests;
use super::catalogue::Catalogue;
use super::connection::{self, Connection};
use super::handler::Handler;
use super::log::Log;
use super::pages::ListError;
use super::sampling::{Sampler, Samples};
use super::trace::TraceSource;
use super::{ClientOptions, ToolWrapper, Way, listen};
use crate::failure::Failure;
use crate::transport::ledger::Ledger;
use crate::{AcceptedTools, Lifecycle, McpServer, SkippedMessages, StartError};

/// Bounds of the age at which the list of tools is requested again.
const LEAST_TTL: Duration = Duration::from_mins(1);
const MOST_TTL: Duration = Duration::from_hours(24);

pub(crate) struct ClientInner {
    pub(crate) server: McpServer,
    pub(crate) accepted: AcceptedTools,
    way: Way,
    human: Option<Arc<dyn Human>>,
    sampler: Option<Arc<dyn Sampler>>,
    pub(crate) each: Option<ToolWrapper>,
    roots: Arc<[String]>,
    trace: Option<TraceSource>,
    log: Log,
    state: tokio::sync::Mutex<State>,
    /// Cancelled by [`stop`](Self::stop).
    stopped: CancellationToken,
    /// Number of consecutive ends without an answer between them.
    ends: AtomicU32,
    catalogue: RwLock<Arc<Catalogue>>,
    /// The time at which the list of tools is too old, if the server limits its age.
    stale_at: Mutex<Option<Instant>>,
    skipped: Arc<Mutex<SkippedMessages>>,
    changed: Arc<Notify>,
    now: Mutex<Weak<Connection>>,
    has_resources: AtomicBool,
    challenge: Mutex<Option<String>>,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<Connection>>,
    not_before: Option<Instant>,
    is_stopped: bool,
}

impl ClientInner {
    pub(crate) fn new(server: McpServer, way: Way, options: ClientOptions) -> Self {
        Self {
            server,
            accepted: options.accepted,
            way,
            human: options.human,
            sampler: options.sampler,
            each: options.each,
            roots: options.roots.into(),
            trace: options.trace,
            log: Log::new(options.redactor),
            state: tokio::sync::Mutex::default(),
            stopped: CancellationToken::new(),
            ends: AtomicU32::new(0),
            catalogue: RwLock::default(),
            stale_at: Mutex::default(),
            skipped: Arc::default(),
            changed: Arc::default(),
            now: Mutex::default(),
            has_resources: AtomicBool::new(false),
            challenge: Mutex::default(),
        }
    }

    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    pub(crate) fn skip_counts(&self) -> SkippedMessages {
        *self.skipped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the challenge if the failure is a request to sign in.
    pub(crate) fn note(&self, failure: &Failure) {
        if let Failure::SignIn(challenge) = failure {
            *self.challenge.lock().unwrap_or_else(PoisonError::into_inner) = Some(challenge.clone());
        }
    }

    pub(crate) fn challenge(&self) -> Option<String> {
        self.challenge.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn has_resources(&self) -> bool {
        self.has_resources.load(Ordering::Relaxed)
    }

    pub(crate) fn protocol_version(&self) -> Option<String> {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.upgrade().and_then(|connection| connection.protocol_version())
    }

    pub(crate) fn is_connected(&self) -> bool {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.upgrade().is_some_and(|connection| !connection.is_over())
    }

    pub(crate) async fn wait_for_change(&self) {
        self.changed.notified().await;
    }

    /// Ends the connection with its running requests, and prevents another start.
    pub(crate) async fn stop(&self) {
        // Cancel before taking the lock: a start that holds the lock then ends and releases it.
        self.stopped.cancel();
        let mut state = self.state.lock().await;
        if let Some(connection) = state.connection.take() {
            // A running request holds the connection, so dropping it here would not end the request.
            connection.ledger().close();
        }
        *state = State { is_stopped: true, ..State::default() };
    }

    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        self.catalogue.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Resets the count of consecutive ends after an answer.
    pub(crate) fn is_well(&self) {
        self.ends.store(0, Ordering::Relaxed);
    }

    /// Returns a connection whose tools are listed. Connects, and lists the tools again, if needed.
    pub(crate) async fn ready(&self) -> Result<Arc<Connection>, StartError> {
        let mut state = self.state.lock().await;
        let server = || self.server.id().to_owned();
        if state.is_stopped {
            return Err(StartError::Stopped { server: server() });
        }
        if state.connection.as_ref().is_some_and(|connection| connection.is_over()) {
            self.record_end(&mut state);
            if matches!(self.way, Way::Http(_)) {
                // Over HTTP a lost session can be opened again without delay. If that fails, the next attempt
                // waits.
                state.not_before = None;
            }
        }
        if let Some(connection) = state.connection.clone() {
            if connection.ledger().take_list_changed()
                && let Err(error) = self.limit_start(self.list(&connection)).await
            {
                connection.ledger().put_list_changed();
                return Err(error);
            }
            if self.is_list_stale() {
                // A list that cannot be read now stays in use: each tool is pinned to its definition.
                self.set_list_age(Some(LEAST_TTL));
                let _ = self.limit_start(self.list(&connection)).await;
            }
            return Ok(connection);
        }
        let wait = state.not_before.map(|then| then.saturating_duration_since(Instant::now()));
        if let Some(wait) = wait.filter(|wait| !wait.is_zero()) {
            return Err(StartError::Waiting { server: server(), wait });
        }
        match self.limit_start(Box::pin(self.open())).await {
            Ok(connection) => {
                state.connection = Some(connection.clone());
                *self.now.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&connection);
                self.changed.notify_one();
                Ok(connection)
            }
            Err(error) => {
                self.record_end(&mut state);
                Err(error)
            }
        }
    }

    /// Lists the tools, also if the server did not announce a change, and also if an earlier start failed a
    /// moment ago.
    pub(crate) async fn list_again(&self) -> Result<(), StartError> {
        {
            let mut state = self.state.lock().await;
            state.not_before = None;
            if let Some(connection) = &state.connection {
                connection.ledger().put_list_changed();
            }
        }
        self.ready().await.map(drop)
    }

    fn record_end(&self, state: &mut State) {
        let ends = self.ends.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        state.connection = None;
        state.not_before = Some(Instant::now() + self.server.limits().wait_after(ends));
    }

    /// Connects, and lists the tools. If the server needs another beginning and its connection is not usable any
    /// more, another connection has it.
    async fn open(&self) -> Result<Arc<Connection>, StartError> {
        let lifecycle = self.server.lifecycle();
        let mut opened = self.introduce(lifecycle).await?;
        if let Some(next) = opened.as_ref().err().and_then(|error| lifecycle.choose_next(error)) {
            opened = self.introduce(next).await?;
        }
        let connection = opened.map_err(|error| self.to_start_error(&error))?;
        connection.version().map_err(|why| self.unfit(why))?;
        // Changes before the first list are part of it.
        connection.ledger().take_list_changed();
        let capabilities = connection.server().map(|server| server.capabilities.clone()).unwrap_or_default();
        self.has_resources.store(capabilities.resources.is_some(), Ordering::Relaxed);
        let announces = capabilities.tools.and_then(|tools| tools.list_changed) == Some(true);
        let connection = Arc::new(connection);
        self.list(&connection).await?;
        if announces && connection.ledger().is_stateless() {
            listen::subscribe(connection.peer().clone(), connection.ledger().clone());
        }
        Ok(connection)
    }

    /// Connects and opens the connection.
    async fn introduce(
        &self,
        lifecycle: Lifecycle,
    ) -> Result<Result<Connection, ClientInitializeError>, StartError> {
        let ledger = Arc::new(Ledger::new(self.skipped.clone(), self.changed.clone()));
        let asks = HumanRequests::new(self.server.id(), self.human.clone());
        let samples = Samples::new(self.sampler.clone());
        let handler = Handler::new((asks, samples), ledger, self.roots.clone(), self.log.clone());
        let handler = handler.with_trace(self.trace.clone());
        let limits = self.server.limits();
        match &self.way {
            Way::Pipes(connector) => {
                let pipes = connector
                    .connect()
                    .await
                    .map_err(|source| StartError::Connect { server: self.server.id().to_owned(), source })?;
                Ok(Connection::connect_pipes(pipes, handler, lifecycle, limits).await)
            }
            Way::Http(address) => super::over_http::connect(&self.server, address, lifecycle, handler).await,
        }
    }

    async fn list(&self, connection: &Connection) -> Result<(), StartError> {
        let listed = Catalogue::list(connection, &self.server).await;
        let listed = listed.map_err(|why| match why {
            ListError::Failure(Failure::SignIn(challenge)) => {
                StartError::SignIn { server: self.server.id().to_owned(), challenge }
            }
            why => self.unfit(why.describe()),
        })?;
        // Servers of older versions do not limit the age of a list.
        self.set_list_age(listed.ttl.filter(|_| connection.ledger().is_stateless()));
        *self.catalogue.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(listed);
        Ok(())
    }

    fn is_list_stale(&self) -> bool {
        let stale_at = *self.stale_at.lock().unwrap_or_else(PoisonError::into_inner);
        stale_at.is_some_and(|stale_at| stale_at <= Instant::now())
    }

    /// Sets the time for which the list is used. A shorter time than `LEAST_TTL` would list the tools at each
    /// call, and a time longer than `MOST_TTL` has no effect.
    fn set_list_age(&self, ttl: Option<Duration>) {
        let stale_at = ttl.map(|ttl| Instant::now() + ttl.clamp(LEAST_TTL, MOST_TTL));
        *self.stale_at.lock().unwrap_or_else(PoisonError::into_inner) = stale_at;
    }

    async fn limit_start<T>(
        &self,
        work: impl Future<Output = Result<T, StartError>>,
    ) -> Result<T, StartError> {
        let after = self.server.limits().start;
        let server = || self.server.id().to_owned();
        let timed_out = |_| StartError::TimedOut { server: server(), after, heard: self.stderr_clause() };
        tokio::select! {
            ready = tokio::time::timeout(after, work) => ready.map_err(timed_out)?,
            () = self.stopped.cancelled() => Err(StartError::Stopped { server: server() }),
        }
    }

    fn to_start_error(&self, error: &ClientInitializeError) -> StartError {
        match error.auth_challenge() {
            Some(challenge) => {
                StartError::SignIn { server: self.server.id().to_owned(), challenge: challenge.to_owned() }
            }
            None => self.unfit(connection::describe_error(error)),
        }
    }

    fn unfit(&self, why: String) -> StartError {
        StartError::Unfit { server: self.server.id().to_owned(), why, heard: self.stderr_clause() }
    }

    /// Returns the end of the server's standard error output as a clause for an error message.
    fn stderr_clause(&self) -> String {
        let heard = windlass_hitl::display_safe(&self.way.stderr_tail());
        if heard.is_empty() { heard } else { format!("; its error output: {heard}") }
    }
}
