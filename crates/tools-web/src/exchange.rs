//! One HTTP request and its response, on one connection.

use std::future::{Future, poll_fn};
use std::io;
use std::net::TcpStream;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, HeaderMap, HeaderValue,
    USER_AGENT,
};
use hyper::rt::{Read, Write};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::{Checked, Dialer, FetchError, ReachError, WebUrl};

const ACCEPTED: &str = "text/html, text/markdown, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5";
const AGENT: &str = concat!("windlass/", env!("CARGO_PKG_VERSION"));
/// Maximum size of a response head, in bytes: room for a few large headers.
const MAX_HEAD: usize = 64 * 1024;
/// Maximum number of a host's addresses that are tried.
const MAX_ATTEMPTS: usize = 4;

/// A stream that carries HTTP, with or without TLS.
trait Carrier: Read + Write + Send + Unpin {}

impl<T: Read + Write + Send + Unpin> Carrier for T {}

type Connection = Pin<Box<dyn Future<Output = Result<(), hyper::Error>> + Send>>;

/// A response whose body is still arriving. It owns its connection, so dropping it closes the connection.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Incoming,
    connection: Option<Connection>,
}

/// Kind of request.
#[derive(Clone, Copy)]
pub(crate) enum Ask<'a> {
    /// A page. The request contains nothing besides the URL: no cookies, credentials or referrer.
    Page,
    /// A JSON request to a service.
    Json { body: &'a Bytes, authorization: Option<&'a HeaderValue> },
}

/// Settings for connections.
pub(crate) struct Way<'a> {
    pub(crate) dialer: &'a dyn Dialer,
    pub(crate) tls: Arc<ClientConfig>,
    pub(crate) connect: Duration,
}

impl Way<'_> {
    /// Dials the addresses in turn and sends the request on the first connection. It dials only these
    /// addresses, without a proxy, a pool or a second DNS query.
    pub(crate) async fn ask(
        &self,
        url: &WebUrl,
        addresses: &[Checked],
        ask: Ask<'_>,
    ) -> Result<Answer, FetchError> {
        let attempts = addresses.len().clamp(1, MAX_ATTEMPTS);
        // Divides the time, so that an address that never answers leaves time for the others.
        let each = self.connect / u32::try_from(attempts).unwrap_or(1);
        let mut last = FetchError::ConnectTimedOut { host: url.host().to_owned(), limit: self.connect };
        for address in addresses.iter().take(attempts) {
            match timeout(each, self.carrier(url, *address)).await {
                Ok(Ok(carrier)) => return exchange(url, carrier, ask).await,
                Ok(Err(error)) => last = error,
                Err(_) => {}
            }
        }
        Err(last)
    }

    async fn carrier(&self, url: &WebUrl, address: Checked) -> Result<Box<dyn Carrier>, FetchError> {
        let host = || url.host().to_owned();
        let unreachable = |source| FetchError::Refused(ReachError::Unreachable { host: host(), source });
        let stream: TcpStream = self.dialer.dial(address).await.map_err(unreachable)?;
        let stream = tokio::net::TcpStream::from_std(stream).map_err(unreachable)?;
        if !url.is_encrypted() {
            return Ok(Box::new(TokioIo::new(stream)));
        }
        let encryption = |source| FetchError::Encryption { host: host(), source };
        let name = match url.address() {
            Some(address) => ServerName::from(address),
            None => ServerName::try_from(host()).map_err(|error| encryption(io::Error::other(error)))?,
        };
        let connector = TlsConnector::from(Arc::clone(&self.tls));
        Ok(Box::new(TokioIo::new(connector.connect(name, stream).await.map_err(encryption)?)))
    }
}

async fn exchange(url: &WebUrl, carrier: Box<dyn Carrier>, ask: Ask<'_>) -> Result<Answer, FetchError> {
    let protocol = |source| FetchError::Protocol { host: url.host().to_owned(), source };
    let request = request(url, ask).map_err(|error| protocol(Box::new(error)))?;
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(MAX_HEAD)
        .max_header_size(MAX_HEAD)
        .handshake(carrier)
        .await
        .map_err(|error| protocol(Box::new(error)))?;
    let mut connection: Option<Connection> = Some(Box::pin(connection));
    let mut sending = pin!(sender.send_request(request));
    let answer = poll_fn(|cx| {
        drive(&mut connection, cx);
        sending.as_mut().poll(cx)
    });
    let (head, body) = answer.await.map_err(|error| protocol(Box::new(error)))?.into_parts();
    Ok(Answer { status: head.status, headers: head.headers, body, connection })
}

fn request(url: &WebUrl, ask: Ask<'_>) -> Result<Request<Full<Bytes>>, hyper::http::Error> {
    let (method, accepted) = match ask {
        Ask::Page => (Method::GET, ACCEPTED),
        Ask::Json { .. } => (Method::POST, "application/json"),
    };
    let mut request = Request::builder()
        .method(method)
        .uri(url.target())
        .header(HOST, url.authority())
        .header(USER_AGENT, AGENT)
        .header(ACCEPT, accepted)
        .header(ACCEPT_ENCODING, "gzip")
        .header(CONNECTION, "close");
    let Ask::Json { body, authorization } = ask else { return request.body(Full::default()) };
    if let Some(authorization) = authorization {
        request = request.header(AUTHORIZATION, authorization);
    }
    request.header(CONTENT_TYPE, "application/json").body(Full::new(body.clone()))
}

impl Answer {
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
