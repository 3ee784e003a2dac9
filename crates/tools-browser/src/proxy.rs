//! HTTP proxy for the browser's only network access. It sends every request through the `Gate`.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{
    CONNECTION, HOST, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE,
    TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::gate::Gate;
use crate::{BrowserLimits, ReachError};
use windlass_web_reach::{HostPort, WebUrl};

/// The user name for the secret. It contains no information.
pub(crate) const USER: &str = "windlass";
const REALM: HeaderValue = HeaderValue::from_static("Basic realm=\"windlass\"");
/// Maximum number of bytes of a message head, in both directions.
const MAX_HEAD: usize = 64 * 1024;
const HEAD_TIME: Duration = Duration::from_secs(20);

/// Hop-by-hop headers, which a proxy must not forward (RFC 9110, 7.6.1).
const HOP_BY_HOP: [HeaderName; 8] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

type Body = BoxBody<Bytes, hyper::Error>;

/// A proxy on loopback. Dropping it ends all of its connections.
///
/// Every process of the machine can connect to loopback, so each request must contain the secret. Only the
/// browser receives the secret, over its pipe, when it requests the credentials.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    pub(crate) secret: String,
    _running: DropGuard,
}

/// The shared state of all connections.
struct Desk {
    gate: Arc<Gate>,
    expected: Vec<u8>,
    over: CancellationToken,
}

impl Proxy {
    pub(crate) async fn start(gate: Arc<Gate>, limits: &BrowserLimits) -> io::Result<Self> {
        let mut random = [0; 24];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let secret = URL_SAFE_NO_PAD.encode(random);
        let expected = format!("Basic {}", STANDARD.encode(format!("{USER}:{secret}"))).into_bytes();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let over = CancellationToken::new();
        let desk = Arc::new(Desk { gate, expected, over: over.clone() });
        let places = Arc::new(Semaphore::new(limits.connections));
        tokio::spawn(over.clone().run_until_cancelled_owned(accept(listener, desk, places)));
        Ok(Self { address, secret, _running: over.drop_guard() })
    }
}

async fn accept(listener: TcpListener, desk: Arc<Desk>, places: Arc<Semaphore>) {
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok((stream, _)) = windlass_web_reach::accept(&listener).await else { return };
        let (desk, over) = (Arc::clone(&desk), desk.over.clone());
        tokio::spawn(over.run_until_cancelled_owned(async move {
            serve(stream, &desk, Arc::new(place)).await;
        }));
    }
}

/// Serves a connection. The permit is held until the last task for this connection has ended.
async fn serve(stream: TcpStream, desk: &Arc<Desk>, place: Arc<tokio::sync::OwnedSemaphorePermit>) {
    let service = service_fn(|request| {
        let (desk, place) = (Arc::clone(desk), Arc::clone(&place));
        async move { Ok::<_, Infallible>(desk.answer(request, place).await) }
    });
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    // Errors are ignored: the browser sees the closed connection.
    let _ = served.await;
}

impl Desk {
    async fn answer(
        &self,
        request: Request<Incoming>,
        place: Arc<tokio::sync::OwnedSemaphorePermit>,
    ) -> Response<Body> {
        if !self.is_known(request.headers()) {
            let mut answer =
                text_response(StatusCode::PROXY_AUTHENTICATION_REQUIRED, "this proxy is not for you");
            answer.headers_mut().insert(PROXY_AUTHENTICATE, REALM);
            return answer;
        }
        let answered = if request.method() == Method::CONNECT {
            self.tunnel(request, place).await
        } else {
            self.forward(request).await
        };
        answered.unwrap_or_else(|refusal| {
            let status = if refusal.is_rule() { StatusCode::FORBIDDEN } else { StatusCode::BAD_GATEWAY };
            text_response(status, &refusal.to_string())
        })
    }

    /// Returns whether a request contains the secret. The comparison takes constant time, so it does not
    /// reveal how many bytes are right.
    fn is_known(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(PROXY_AUTHORIZATION).map(HeaderValue::as_bytes).unwrap_or_default();
        let differing = given.iter().zip(&self.expected).fold(0, |all, (left, right)| all | (left ^ right));
        given.len() == self.expected.len() && differing == 0
    }

    /// Answers `CONNECT`: copies bytes in both directions, for encrypted connections and web sockets.
    async fn tunnel(
        &self,
        request: Request<Incoming>,
        place: Arc<tokio::sync::OwnedSemaphorePermit>,
    ) -> Result<Response<Body>, ReachError> {
        let authority = request.uri().authority().map_or("", |authority| authority.as_str());
        let to = HostPort::parse(authority)
            .map_err(ReachError::from)
            .inspect_err(|refusal| self.gate.note(None, refusal))?;
        let mut outward = self.gate.open(&to).await?;
        tokio::spawn(self.over.clone().run_until_cancelled_owned(async move {
            if let Ok(inward) = hyper::upgrade::on(request).await {
                let _ = tokio::io::copy_bidirectional(&mut TokioIo::new(inward), &mut outward).await;
            }
            drop(place);
        }));
        Ok(Response::new(Full::default().map_err(|never| match never {}).boxed()))
    }

    /// Forwards a request without encryption, on its own connection.
    async fn forward(&self, mut request: Request<Incoming>) -> Result<Response<Body>, ReachError> {
        let url = WebUrl::parse_page(&request.uri().to_string())
            .map_err(ReachError::from)
            .inspect_err(|refusal| self.gate.note(None, refusal))?;
        let host = url.host().to_owned();
        let unreachable = |source| ReachError::Unreachable { host: host.clone(), source };
        let stream = self.gate.open(url.endpoint()).await?;
        *request.uri_mut() =
            url.target().parse::<Uri>().map_err(|error| unreachable(io::Error::other(error)))?;
        let authority =
            HeaderValue::from_str(url.authority()).map_err(|error| unreachable(io::Error::other(error)))?;
        clean(request.headers_mut());
        // Replaces the `Host` header of the page, because the gate checked the host of the URL.
        request.headers_mut().insert(HOST, authority);
        let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
            .max_buf_size(MAX_HEAD)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| unreachable(io::Error::other(error)))?;
        tokio::spawn(self.over.clone().run_until_cancelled_owned(connection));
        let mut answer =
            sender.send_request(request).await.map_err(|error| unreachable(io::Error::other(error)))?;
        // Only this proxy may request its secret.
        if answer.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
            *answer.status_mut() = StatusCode::BAD_GATEWAY;
        }
        answer.headers_mut().remove(PROXY_AUTHENTICATE);
        clean(answer.headers_mut());
        Ok(answer.map(BodyExt::boxed))
    }
}

/// Removes the hop-by-hop headers, and the headers that `Connection` names.
fn clean(headers: &mut HeaderMap) {
    let named: Vec<String> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    for name in named {
        headers.remove(name.as_str());
    }
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}

fn text_response(status: StatusCode, text: &str) -> Response<Body> {
    let body = Full::new(Bytes::from(format!("{text}\n"))).map_err(|never| match never {}).boxed();
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    answer.headers_mut().insert(hyper::header::CONTENT_TYPE, plain);
    answer
}

#[cfg(test)]
mod tests;
