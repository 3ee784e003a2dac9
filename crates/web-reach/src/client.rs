//! `CheckedClient`: one HTTP exchange over a connection to a checked address.

mod connection;
mod error;
mod exchange;
mod roots;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hyper::header::HeaderMap;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::{Instant, timeout, timeout_at};

use crate::{Dialer, Reach, Resolver, Scope, SystemResolver, TcpDialer, WebUrl, check_addresses};

pub use error::{RootError, SendError};
pub use exchange::CheckedResponse;

/// The parts of a request, besides its URL and the headers that belong to the connection.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "a request of HTTP has no other parts")]
pub struct OutgoingRequest {
    /// The method.
    pub method: hyper::Method,
    /// The headers. `host`, `user-agent` and `connection` are added.
    pub headers: HeaderMap,
    /// The body.
    pub body: bytes::Bytes,
}

/// The time limits of an exchange, which begins when the value is created.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimits {
    connect: Duration,
    total: Duration,
    deadline: Instant,
}

/// Sends requests over connections to checked addresses.
///
/// Each request resolves the host once, checks all of its addresses, and connects only to these: without a proxy, a
/// pool, cookies or redirects. A request waits at most for its [`TimeLimits`]. Clones share all settings.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// use std::time::Duration;
/// use windlass_web_reach::{CheckedClient, OutgoingRequest, ReachError, SendError, TimeLimits, WebUrl};
///
/// let client = CheckedClient::default();
/// let url = WebUrl::parse("http://169.254.169.254/latest/meta-data/")?;
/// let limits = TimeLimits::start(Duration::from_secs(5), Duration::from_secs(30));
/// let sent = match client.reach().scope(url.endpoint(), None) {
///     Ok(scope) => client.send(&url, scope, OutgoingRequest::default(), limits).await,
///     Err(refusal) => Err(refusal.into()),
/// };
/// assert!(matches!(sent, Err(SendError::Refused(ReachError::NotPublic { .. }))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct CheckedClient {
    reach: Reach,
    resolver: Arc<dyn Resolver>,
    dialer: Arc<dyn Dialer>,
    roots: RootCertStore,
    tls: Arc<ClientConfig>,
}

impl TimeLimits {
    /// Begins an exchange: `connect` limits the resolution of the name and the connection, `total` the whole
    /// exchange.
    pub fn start(connect: Duration, total: Duration) -> Self {
        Self { connect, total, deadline: Instant::now() + total }
    }

    /// Returns the end of the exchange.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }
}

impl CheckedClient {
    /// Sets the reachable hosts and ports.
    pub fn with_reach(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    /// Sets the resolver.
    pub fn with_resolver(mut self, resolver: Arc<dyn Resolver>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Sets the dialer.
    pub fn with_dialer(mut self, dialer: Arc<dyn Dialer>) -> Self {
        self.dialer = dialer;
        self
    }

    /// Adds the PEM certificates of an authority.
    ///
    /// # Errors
    /// If the PEM contains no usable certificate.
    pub fn with_root(mut self, pem: &[u8]) -> Result<Self, RootError> {
        roots::add(&mut self.roots, pem)?;
        self.tls = roots::to_config(self.roots.clone());
        Ok(self)
    }

    /// Returns the reachable hosts and ports.
    pub fn reach(&self) -> &Reach {
        &self.reach
    }

    /// Sends a request and waits for the head of its response. `scope` is what [`Reach::scope`] returned for the
    /// URL. Cancel-safe: dropping the future closes the connection.
    ///
    /// # Errors
    /// If an address is outside of the scope, or no response begins in time.
    pub async fn send(
        &self,
        url: &WebUrl,
        scope: Scope,
        request: OutgoingRequest,
        limits: TimeLimits,
    ) -> Result<CheckedResponse, SendError> {
        let host = || url.host().to_owned();
        let sent = async {
            let limit = limits.connect;
            let found = timeout(limit, check_addresses(url.endpoint(), scope, &*self.resolver)).await;
            let addresses = found.map_err(|_| SendError::ConnectTimedOut { host: host(), limit })??;
            let carrier = connection::open(&*self.dialer, &self.tls, url, &addresses, limit).await?;
            exchange::exchange(carrier, url, request).await
        };
        let timed_out = |_| SendError::TimedOut { host: host(), limit: limits.total };
        timeout_at(limits.deadline, sent).await.map_err(timed_out)?
    }
}

impl Default for CheckedClient {
    /// Reaches the public web, with the system's resolver, TCP and the certificate authorities of browsers.
    fn default() -> Self {
        let roots = roots::browser_roots();
        Self {
            reach: Reach::default(),
            resolver: Arc::new(SystemResolver),
            dialer: Arc::new(TcpDialer),
            tls: roots::to_config(roots.clone()),
            roots,
        }
    }
}

impl fmt::Debug for CheckedClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckedClient").field("reach", &self.reach).finish_non_exhaustive()
    }
}
