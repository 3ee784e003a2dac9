//! Tools behind a port: streamable HTTP, for this machine unless it is said otherwise.

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
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::door::{Closed, Door};
use super::handler::Handler;

/// The path at which clients are served.
const PATH: &str = "/mcp";

type Service = StreamableHttpService<Handler, LocalSessionManager>;

/// What whoever may use the tools knows.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpToken(String);

/// Who may come in, and how much is taken.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpOptions {
    token: Option<HttpToken>,
    hosts: Vec<String>,
    reach: Reach,
    /// The longest request, in bytes.
    pub body_bytes: usize,
    /// How many connections are open at once; more wait.
    pub connections: usize,
    /// How long a client may take for the head of its request.
    pub head_timeout: Duration,
    /// How long a client may take for the body of its request.
    pub body_timeout: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    ThisMachine,
    Anybody,
}

/// Why no connection is taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenDoor {
    /// Other machines would reach it.
    #[error("{address} can be reached from other machines, which was not said")]
    Reachable {
        /// Where it would listen.
        address: SocketAddr,
    },
    /// Other machines would reach it, and nothing is asked of them.
    #[error("{address} can be reached from other machines, and there is no token")]
    NoToken {
        /// Where it would listen.
        address: SocketAddr,
    },
    /// The port gives no connections.
    #[error("no connection can be taken")]
    Listen(#[from] io::Error),
}

impl HttpToken {
    /// A token that was agreed on. Short ones can be guessed; 32 random bytes in hexadecimal cannot.
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// The token itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// Without the token.
impl fmt::Debug for HttpToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpToken(..)")
    }
}

impl HttpOptions {
    /// Whoever has this token.
    pub fn with_token(token: HttpToken) -> Self {
        Self { token: Some(token), ..Self::without_token() }
    }

    /// Whoever is on this machine. Every program and every user there can use the tools then.
    pub fn without_token() -> Self {
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

    /// The same, under one more name of this server, and for other machines too if that is what the listener does.
    pub fn with_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self.reach = Reach::Anybody;
        self
    }
}

/// Serves until the token says so; that closes every connection.
pub(crate) async fn serve(
    listener: TcpListener,
    handler: Handler,
    options: HttpOptions,
    stop: CancellationToken,
) -> Result<(), OpenDoor> {
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        if options.reach == Reach::ThisMachine {
            return Err(OpenDoor::Reachable { address });
        }
        if options.token.is_none() {
            return Err(OpenDoor::NoToken { address });
        }
    }
    let door = Arc::new(Door { token: options.token.clone(), hosts: options.hosts.clone() });
    let service = service(handler, &options, stop.clone());
    let limits = BodyLimits { bytes: options.body_bytes, time: options.body_timeout };
    let room = Arc::new(Semaphore::new(options.connections.max(1)));
    // The connections end with this future.
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            // A place first: connections over the limit wait in the backlog.
            let place = room.clone().acquire_owned().await.map_err(io::Error::other)?;
            io::Result::Ok((place, windlass_web_reach::accept(&listener).await?.0))
        };
        let (place, stream) = tokio::select! {
            taken = next => taken?,
            () = stop.cancelled() => return Ok(()),
        };
        let _ = stream.set_nodelay(true);
        let (door, service) = (door.clone(), service.clone());
        connections.spawn(async move {
            let respond = service_fn(|request| respond(door.clone(), service.clone(), limits, request));
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(options.head_timeout);
            // A connection that breaks is the client's wish.
            drop(http.serve_connection(TokioIo::new(stream), respond).await);
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
}

/// The door has looked at names and sites already, with other names than the library knows.
fn service(handler: Handler, options: &HttpOptions, stop: CancellationToken) -> Service {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(options.body_bytes)
        .with_cancellation_token(stop);
    StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(LocalSessionManager::default()), config)
}

/// What a request body may cost.
#[derive(Clone, Copy)]
struct BodyLimits {
    bytes: usize,
    time: Duration,
}

async fn respond(
    door: Arc<Door>,
    service: Service,
    limits: BodyLimits,
    request: Request<Incoming>,
) -> Result<Response<BoxBody<Bytes, Infallible>>, http::Error> {
    if let Err(closed) = door.look(request.headers()) {
        return refuse(closed);
    }
    if request.uri().path().trim_end_matches('/') != PATH {
        return refuse(Closed { status: StatusCode::NOT_FOUND, words: "the tools are at /mcp" });
    }
    let (head, body) = request.into_parts();
    let body = Limited::new(body, limits.bytes).collect();
    let body = match tokio::time::timeout(limits.time, body).await {
        Ok(Ok(body)) => Full::new(body.to_bytes()),
        Ok(Err(_)) => {
            let words = "the body did not come whole, or is too large";
            return refuse(Closed { status: StatusCode::PAYLOAD_TOO_LARGE, words });
        }
        Err(_) => {
            let closed = Closed { status: StatusCode::REQUEST_TIMEOUT, words: "the body took too long" };
            let mut response = refuse(closed)?;
            // What comes of this body later is not the next request.
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            return Ok(response);
        }
    };
    Ok(service.handle(Request::from_parts(head, body)).await)
}

fn refuse(closed: Closed) -> Result<Response<BoxBody<Bytes, Infallible>>, http::Error> {
    let mut response = Response::builder().status(closed.status);
    if closed.status == StatusCode::UNAUTHORIZED {
        response = response.header(WWW_AUTHENTICATE, "Bearer");
    }
    response.body(Full::new(Bytes::from_static(closed.words.as_bytes())).boxed())
}
