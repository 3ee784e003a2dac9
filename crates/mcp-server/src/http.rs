//! Tools over streamable HTTP, by default on this machine only.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::handler::Handler;
use crate::request_guard::{Rejection, RequestGuard};

/// The URL path of the MCP endpoint.
const PATH: &str = "/mcp";

type Service = StreamableHttpService<Handler, LocalSessionManager>;

/// A secret that a client sends as bearer token. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpToken(String);

/// Options of the HTTP server: access and limits.
///
/// Create them with [`with_token`](Self::with_token) or
/// [`allow_without_token`](Self::allow_without_token). Other machines can connect only with a token and
/// [`with_host`](Self::with_host).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpServerOptions {
    token: Option<HttpToken>,
    hosts: Vec<String>,
    reach: Reach,
    /// Maximum length of a request's body in bytes.
    pub body_bytes: usize,
    /// Maximum number of open connections. Further ones wait in the listener's backlog.
    pub connections: usize,
    /// Timeout of the head of a request.
    pub head_timeout: Duration,
    /// Timeout of the body of a request.
    pub body_timeout: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    ThisMachine,
    Anybody,
}

/// Error of the HTTP server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The listener accepts other machines, but no host was set for them.
    #[error("{address} can be reached from other machines, but no host name is configured")]
    Reachable {
        /// The listener's address.
        address: SocketAddr,
    },
    /// The listener accepts other machines, but the options have no token.
    #[error("{address} can be reached from other machines, but no token is configured")]
    NoToken {
        /// The listener's address.
        address: SocketAddr,
    },
    /// The listener failed.
    #[error("connections cannot be accepted")]
    Listen(#[from] io::Error),
}

impl HttpToken {
    /// Creates a token. Use 32 random bytes in hexadecimal: short tokens can be guessed.
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// Returns the token's text.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// Omits the token.
impl fmt::Debug for HttpToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpToken(..)")
    }
}

impl HttpServerOptions {
    /// Accepts requests with this token.
    pub fn with_token(token: HttpToken) -> Self {
        Self { token: Some(token), ..Self::allow_without_token() }
    }

    /// Accepts requests without a token, on this machine only. Every program and every user of the machine
    /// can then use the tools.
    pub fn allow_without_token() -> Self {
        Self {
            token: None,
            hosts: Vec::new(),
            reach: Reach::ThisMachine,
            body_bytes: 8 * 1024 * 1024,
            connections: 256,
            head_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_mins(1),
        }
    }

    /// Adds a name under which clients address this server, and allows a listener that accepts other
    /// machines.
    pub fn with_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self.reach = Reach::Anybody;
        self
    }
}

/// Serves until `stop` is cancelled, which closes every connection.
pub(crate) async fn serve(
    listener: TcpListener,
    handler: Handler,
    options: HttpServerOptions,
    stop: CancellationToken,
) -> Result<(), HttpError> {
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        if options.reach == Reach::ThisMachine {
            return Err(HttpError::Reachable { address });
        }
        if options.token.is_none() {
            return Err(HttpError::NoToken { address });
        }
    }
    let guard = Arc::new(RequestGuard { token: options.token.clone(), hosts: options.hosts.clone() });
    let service = service(handler, &options, stop.clone());
    let limits = BodyLimits { bytes: options.body_bytes, time: options.body_timeout };
    let room = Arc::new(Semaphore::new(options.connections.max(1)));
    // Dropping the set ends the connections with this future.
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            // Acquire a place before accepting, so that connections over the limit wait in the backlog.
            let place = room.clone().acquire_owned().await.map_err(io::Error::other)?;
            io::Result::Ok((place, windlass_web_reach::accept(&listener).await?.0))
        };
        let (place, stream) = tokio::select! {
            taken = next => taken?,
            () = stop.cancelled() => return Ok(()),
        };
        let _ = stream.set_nodelay(true);
        let (guard, service) = (guard.clone(), service.clone());
        connections.spawn(async move {
            let respond = service_fn(|request| respond(guard.clone(), service.clone(), limits, request));
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(options.head_timeout);
            // A broken connection affects only its client.
            drop(http.serve_connection(TokioIo::new(stream), respond).await);
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
}

/// The library's own check of hosts is disabled, because `RequestGuard` has checked host and origin already.
fn service(handler: Handler, options: &HttpServerOptions, stop: CancellationToken) -> Service {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(options.body_bytes)
        .with_cancellation_token(stop);
    StreamableHttpService::new(
        move || Ok(handler.for_connection()),
        Arc::new(LocalSessionManager::default()),
        config,
    )
}

/// The limits of a request's body.
#[derive(Clone, Copy)]
struct BodyLimits {
    bytes: usize,
    time: Duration,
}

async fn respond(
    guard: Arc<RequestGuard>,
    service: Service,
    limits: BodyLimits,
    request: Request<Incoming>,
) -> Result<Response<BoxBody<Bytes, Infallible>>, http::Error> {
    if let Err(rejection) = guard.check(request.headers()) {
        return refuse(rejection);
    }
    if request.uri().path().trim_end_matches('/') != PATH {
        return refuse(Rejection { status: StatusCode::NOT_FOUND, words: "the MCP endpoint is /mcp" });
    }
    let (head, body) = request.into_parts();
    let body = Limited::new(body, limits.bytes).collect();
    let body = match tokio::time::timeout(limits.time, body).await {
        Ok(Ok(body)) => Full::new(body.to_bytes()),
        Ok(Err(_)) => {
            let words = "the body is incomplete or too large";
            return refuse(Rejection { status: StatusCode::PAYLOAD_TOO_LARGE, words });
        }
        Err(_) => {
            let rejection =
                Rejection { status: StatusCode::REQUEST_TIMEOUT, words: "the body took too long" };
            let mut response = refuse(rejection)?;
            // Later bytes of this body must not be parsed as the next request.
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            return Ok(response);
        }
    };
    let is_end_of_session = head.method == Method::DELETE;
    let mut response = service.handle(Request::from_parts(head, body)).await;
    if is_end_of_session && response.status() == StatusCode::ACCEPTED {
        // The session has ended when the library answers.
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    Ok(response)
}

fn refuse(rejection: Rejection) -> Result<Response<BoxBody<Bytes, Infallible>>, http::Error> {
    let mut response = Response::builder().status(rejection.status);
    if rejection.status == StatusCode::UNAUTHORIZED {
        response = response.header(WWW_AUTHENTICATE, "Bearer");
    }
    response.body(Full::new(Bytes::from_static(rejection.words.as_bytes())).boxed())
}
