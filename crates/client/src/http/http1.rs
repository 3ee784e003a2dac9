//! Exchanges with servers of plain HTTP/1.1. The task that reads an answer also drives its connection.
//!
//! The general client of `hyper-util` spawns a task for each connection, which hands over one piece of a body at a time, so
//! each piece wakes two tasks, and a gateway writes each of them alone. Here one task reads all pieces that have arrived.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream;
use http::header::HOST;
use http::uri::{Authority, PathAndQuery};
use http::{HeaderValue, Request, Response, StatusCode, Uri};
use http_body_util::Full;
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1::{Connection, SendRequest};

use super::connect::{BoxError, PlainConnector, RoutedStream};
use super::idle::IdleConnections;
use super::proxy::ProxyError;

type Outgoing = Request<Full<Bytes>>;

/// A client of plain HTTP/1.1 servers. Clones share its connections.
#[derive(Clone)]
pub(super) struct Http1Client {
    connector: PlainConnector,
    idle: Arc<IdleConnections>,
}

/// Failure of an exchange.
pub(super) enum ExchangeError {
    /// No connection could be opened.
    Connect(BoxError),
    /// The exchange broke.
    Exchange(hyper::Error),
}

/// A connection, and the handle that sends its requests.
pub(super) struct Http1Connection {
    sender: SendRequest<Full<Bytes>>,
    /// `None` after the connection has ended.
    driver: Option<Connection<RoutedStream, Full<Bytes>>>,
}

/// The body of an answer, with its connection.
pub(super) struct AnswerBody {
    /// `None` after the end of the body.
    incoming: Option<Incoming>,
    connection: Option<Http1Connection>,
    server: Authority,
    idle: Arc<IdleConnections>,
}

impl Http1Client {
    pub(super) fn new(connector: PlainConnector) -> Self {
        Self { connector, idle: Arc::default() }
    }

    /// Sends a request to an `http` URL and returns the response. Like the general client, it repeats a request that was
    /// not sent because the server had closed the idle connection.
    pub(super) async fn exchange(
        &self,
        mut request: Outgoing,
    ) -> Result<Response<AnswerBody>, ExchangeError> {
        let target = request.uri().clone();
        let Some(server) = target.authority().cloned() else {
            return Err(ExchangeError::Connect("the address has no host".into()));
        };
        let host = host_header(&target, &server).map_err(|error| ExchangeError::Connect(error.into()))?;
        request.headers_mut().entry(HOST).or_insert(host);
        // Only a proxy receives the complete URL.
        let proxy = self.connector.find_proxy_name(&target);
        if proxy.is_none() {
            *request.uri_mut() = origin_form(&target);
        }
        loop {
            let (mut connection, is_reused) = match self.idle.take(&server).await {
                Some(connection) => (connection, true),
                None => (self.connect(target.clone()).await?, false),
            };
            match connection.send(request).await {
                Ok(response) => {
                    if let (Some(proxy), StatusCode::PROXY_AUTHENTICATION_REQUIRED) =
                        (&proxy, response.status())
                    {
                        let error = ProxyError::require_password(proxy.clone());
                        return Err(ExchangeError::Connect(error.into()));
                    }
                    let idle = Arc::clone(&self.idle);
                    return Ok(response.map(|incoming| AnswerBody {
                        incoming: Some(incoming),
                        connection: Some(connection),
                        server,
                        idle,
                    }));
                }
                Err(mut error) => match error.take_message() {
                    Some(unsent) if is_reused => request = unsent,
                    _ => return Err(ExchangeError::Exchange(error.into_error())),
                },
            }
        }
    }

    async fn connect(&self, target: Uri) -> Result<Http1Connection, ExchangeError> {
        let stream = self.connector.connect(target).await.map_err(ExchangeError::Connect)?;
        let (sender, driver) =
            hyper::client::conn::http1::handshake(stream).await.map_err(ExchangeError::Exchange)?;
        Ok(Http1Connection { sender, driver: Some(driver) })
    }
}

impl Http1Connection {
    async fn send(&mut self, request: Outgoing) -> Result<Response<Incoming>, TrySendError<Outgoing>> {
        let mut answer = pin!(self.sender.try_send_request(request));
        let driver = &mut self.driver;
        std::future::poll_fn(move |context| {
            // A connection that has ended returns its requests when it is dropped.
            drive(driver, context);
            answer.as_mut().poll(context)
        })
        .await
    }

    /// Drives the connection. Returns true if it can send another request.
    pub(super) fn poll_idle(&mut self, context: &mut Context<'_>) -> bool {
        drive(&mut self.driver, context);
        self.driver.is_some() && self.sender.is_ready()
    }
}

/// Polls a connection, and drops it when it has ended. Its requests and bodies receive the error.
fn drive(driver: &mut Option<Connection<RoutedStream, Full<Bytes>>>, context: &mut Context<'_>) {
    if driver.as_mut().is_some_and(|driver| Pin::new(driver).poll(context).is_ready()) {
        *driver = None;
    }
}

impl Stream for AnswerBody {
    type Item = Result<Bytes, hyper::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let Some(connection) = &mut this.connection {
            drive(&mut connection.driver, context);
        }
        while let Some(incoming) = &mut this.incoming {
            let end = match ready!(Pin::new(incoming).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => return Poll::Ready(Some(Ok(bytes))),
                    Err(_) => continue,
                },
                Some(Err(error)) => {
                    this.connection = None;
                    Some(Err(error))
                }
                None => None,
            };
            this.finish();
            return Poll::Ready(end);
        }
        Poll::Ready(None)
    }
}

impl AnswerBody {
    /// Keeps the connection for another request, if the answer is complete.
    fn finish(&mut self) {
        self.incoming = None;
        if let Some(connection) = self.connection.take() {
            self.idle.insert(&self.server, connection);
        }
    }
}

impl Drop for AnswerBody {
    // A reader can stop at the last event, before the end of the body.
    fn drop(&mut self) {
        self.finish();
    }
}

/// Returns the header `host` of a URL.
fn host_header(target: &Uri, server: &Authority) -> Result<HeaderValue, http::header::InvalidHeaderValue> {
    match target.port_u16() {
        Some(port) if port != 80 => HeaderValue::from_str(server.as_str()),
        _ => HeaderValue::from_str(server.host()),
    }
}

/// Returns the path and the query of a URL.
fn origin_form(target: &Uri) -> Uri {
    target.path_and_query().cloned().map_or_else(Uri::default, |path: PathAndQuery| Uri::from(path))
}
