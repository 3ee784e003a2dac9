//! One request and its answer on one connection.

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

use crate::{Checked, Dialer, FetchError, WebUrl};

const ACCEPTED: &str = "text/html, text/markdown, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5";
const AGENT: &str = concat!("windlass/", env!("CARGO_PKG_VERSION"));
/// The most bytes of an answer's head: room for a few large headers.
const MAX_HEAD: usize = 64 * 1024;
/// A name with more addresses than these gets no more attempts.
const MAX_ATTEMPTS: usize = 4;

/// Anything that carries HTTP: with encryption or without.
trait Carrier: Read + Write + Send + Unpin {}

impl<T: Read + Write + Send + Unpin> Carrier for T {}

type Connection = Pin<Box<dyn Future<Output = Result<(), hyper::Error>> + Send>>;

/// An answer whose body is still coming. The connection lives in it and nowhere else: what is dropped here is
/// closed.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Incoming,
    connection: Option<Connection>,
}

/// What is asked of a server.
#[derive(Clone, Copy)]
pub(crate) enum Ask<'a> {
    /// A page. Nothing that was not in the URL goes out: no cookie, no credentials, no referrer.
    Page,
    /// What a service makes of a JSON text.
    Json { body: &'a Bytes, authorization: Option<&'a HeaderValue> },
}

/// How connections are made.
pub(crate) struct Way<'a> {
    pub(crate) dialer: &'a dyn Dialer,
    pub(crate) tls: Arc<ClientConfig>,
    pub(crate) connect: Duration,
}

impl Way<'_> {
    /// Dials the addresses, one after the other, and asks. Nothing but these addresses is ever dialled: there is
    /// no proxy, no pool and no second look-up.
    pub(crate) async fn ask(
        &self,
        url: &WebUrl,
        addresses: &[Checked],
        ask: Ask<'_>,
    ) -> Result<Answer, FetchError> {
        let attempts = addresses.len().clamp(1, MAX_ATTEMPTS);
        // So that one address that never answers leaves time for the others.
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
        let unreachable = |source| FetchError::Unreachable { host: host(), source };
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
    /// The next bytes of the body, none at its end. Cancel-safe: no byte is lost.
    pub(crate) async fn next(&mut self) -> Option<Result<Bytes, hyper::Error>> {
        loop {
            let frame = poll_fn(|cx| {
                drive(&mut self.connection, cx);
                Pin::new(&mut self.body).poll_frame(cx)
            });
            match frame.await? {
                // Trailers say nothing that is used here.
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

/// Moves bytes. An error of the connection reaches whoever waits for the answer or the body.
fn drive(connection: &mut Option<Connection>, cx: &mut std::task::Context<'_>) {
    if let Some(running) = connection
        && let Poll::Ready(_) = running.as_mut().poll(cx)
    {
        *connection = None;
    }
}
