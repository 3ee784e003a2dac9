//! One HTTP request and its response, on one connection to a checked address.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};
use hyper::rt::{Read, Write};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::{Checked, Dialer, ReachError, WebUrl};

const ACCEPTED: &str = "application/json, application/*+json;q=0.9, text/*;q=0.5, */*;q=0.1";
const AGENT: &str = concat!("windlass/", env!("CARGO_PKG_VERSION"));
/// Maximum size of a response head, in bytes: room for a few large headers.
const MAX_HEAD: usize = 64 * 1024;
/// Maximum number of a host's addresses that are tried.
const MAX_ATTEMPTS: usize = 4;

/// Error of a request. Its text contains neither the request nor its credentials.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    #[error(transparent)]
    Refused(#[from] ReachError),
    #[error("no encrypted connection with {host}: {source}")]
    Encryption { host: String, source: io::Error },
    #[error("no connection with {host} within {limit:?}")]
    ConnectTimedOut { host: String, limit: Duration },
    #[error("no answer from {host} within {limit:?}")]
    TimedOut { host: String, limit: Duration },
    #[error("{host} did not answer in HTTP")]
    Protocol { host: String },
}

/// A stream that carries HTTP, with or without TLS.
trait Carrier: Read + Write + Send + Unpin {}

impl<T: Read + Write + Send + Unpin> Carrier for T {}

type Connection = Pin<Box<dyn Future<Output = Result<(), hyper::Error>> + Send>>;

/// A response whose body is still arriving. It owns its connection, so dropping it closes the connection.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    body: Incoming,
    connection: Option<Connection>,
}

/// The parts of a request.
#[derive(Clone)]
pub(crate) struct Outgoing {
    pub(crate) method: hyper::Method,
    pub(crate) url: WebUrl,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) media: Option<HeaderValue>,
    pub(crate) body: Bytes,
}

/// Sends a request on the first connection that one of the addresses accepts. Dials only these addresses, without a
/// proxy, a pool or a second DNS query.
pub(crate) async fn send(
    dialer: &dyn Dialer,
    tls: &Arc<ClientConfig>,
    connect: Duration,
    addresses: &[Checked],
    outgoing: Outgoing,
) -> Result<Response, SendError> {
    let url = outgoing.url.clone();
    let attempts = addresses.len().clamp(1, MAX_ATTEMPTS);
    // Divides the time, so that an address that never answers leaves time for the others.
    let each = connect / u32::try_from(attempts).unwrap_or(1);
    let mut last = SendError::ConnectTimedOut { host: url.host().to_owned(), limit: connect };
    for address in addresses.iter().take(attempts) {
        match timeout(each, carrier(dialer, tls, &url, *address)).await {
            Ok(Ok(carrier)) => return exchange(carrier, outgoing).await,
            Ok(Err(error)) => last = error,
            Err(_) => {}
        }
    }
    Err(last)
}

async fn carrier(
    dialer: &dyn Dialer,
    tls: &Arc<ClientConfig>,
    url: &WebUrl,
    address: Checked,
) -> Result<Box<dyn Carrier>, SendError> {
    let host = || url.host().to_owned();
    let unreachable = |source| SendError::Refused(ReachError::Unreachable { host: host(), source });
    let stream = dialer.dial(address).await.map_err(unreachable)?;
    let stream = tokio::net::TcpStream::from_std(stream).map_err(unreachable)?;
    if !url.is_encrypted() {
        return Ok(Box::new(TokioIo::new(stream)));
    }
    let encryption = |source| SendError::Encryption { host: host(), source };
    let name = match url.address() {
        Some(address) => ServerName::from(address),
        None => ServerName::try_from(host()).map_err(|error| encryption(io::Error::other(error)))?,
    };
    let connector = TlsConnector::from(Arc::clone(tls));
    Ok(Box::new(TokioIo::new(connector.connect(name, stream).await.map_err(encryption)?)))
}

async fn exchange(carrier: Box<dyn Carrier>, outgoing: Outgoing) -> Result<Response, SendError> {
    let host = outgoing.url.host().to_owned();
    let protocol = || SendError::Protocol { host: host.clone() };
    let request = to_request(outgoing).map_err(|_| protocol())?;
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(MAX_HEAD)
        .max_header_size(MAX_HEAD)
        .handshake(carrier)
        .await
        .map_err(|_| protocol())?;
    let mut connection: Option<Connection> = Some(Box::pin(connection));
    let mut sending = pin!(sender.send_request(request));
    let answer = poll_fn(|cx| {
        drive(&mut connection, cx);
        sending.as_mut().poll(cx)
    });
    let (head, body) = answer.await.map_err(|_| protocol())?.into_parts();
    Ok(Response { status: head.status.as_u16(), headers: head.headers, body, connection })
}

fn to_request(outgoing: Outgoing) -> Result<Request<Full<Bytes>>, hyper::http::Error> {
    let url = &outgoing.url;
    let mut request = Request::builder()
        .method(outgoing.method)
        .uri(url.target())
        .header(HOST, url.authority())
        .header(USER_AGENT, AGENT)
        .header(ACCEPT, ACCEPTED)
        .header(ACCEPT_ENCODING, "identity")
        .header(CONNECTION, "close");
    for (name, value) in outgoing.headers {
        request = request.header(name, value);
    }
    if let Some(media) = outgoing.media {
        request = request.header(CONTENT_TYPE, media);
    }
    request.body(Full::new(outgoing.body))
}

impl Response {
    /// Returns the next bytes of the body, or `None` at its end. Cancel-safe: no byte is lost.
    pub(crate) async fn next(&mut self) -> Option<Result<Bytes, hyper::Error>> {
        loop {
            let frame = poll_fn(|cx| {
                drive(&mut self.connection, cx);
                Pin::new(&mut self.body).poll_frame(cx)
            });
            match frame.await? {
                // Ignores trailers.
                Ok(frame) => {
                    if let Ok(bytes) = frame.into_data() {
                        return Some(Ok(bytes));
                    }
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Polls the connection, which moves its bytes. Its errors also reach the future of the response or the body.
fn drive(connection: &mut Option<Connection>, cx: &mut std::task::Context<'_>) {
    if let Some(running) = connection
        && let Poll::Ready(_) = running.as_mut().poll(cx)
    {
        *connection = None;
    }
}
