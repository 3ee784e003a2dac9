//! The trait that sends an encoded request to a server.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::Stream;
use windlass_vendors::{Header, redact_url};

/// Sends encoded requests and returns responses whose bodies arrive as streams.
///
/// [`HttpTransport`](crate::HttpTransport) is the default. Another implementation can count, record, replay
/// or sign requests and forward them to an inner transport, or use another HTTP library.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use windlass_client::{TransportRequest, Transport, TransportFuture};
///
/// /// Counts what is sent.
/// struct Counted {
///     inner: Arc<dyn Transport>,
///     requests: AtomicUsize,
/// }
///
/// impl Transport for Counted {
///     fn send(&self, request: TransportRequest) -> TransportFuture<'_> {
///         self.requests.fetch_add(1, Ordering::Relaxed);
///         self.inner.send(request)
///     }
/// }
/// ```
pub trait Transport: Send + Sync {
    /// Sends a request and waits for the status and the headers of its response.
    ///
    /// The caller handles timeouts, retries and the meaning of the status. Implementations must not follow
    /// redirects.
    ///
    /// Cancel-safe: dropping the future or the body closes the exchange.
    fn send(&self, request: TransportRequest) -> TransportFuture<'_>;
}

/// Lets several clients share a transport.
impl<T: Transport + ?Sized> Transport for Arc<T> {
    fn send(&self, request: TransportRequest) -> TransportFuture<'_> {
        (**self).send(request)
    }
}

/// Future of a response's status and headers.
pub type TransportFuture<'a> =
    Pin<Box<dyn Future<Output = Result<TransportResponse, TransportError>> + Send + 'a>>;

/// Stream of a response's body.
pub type ByteStream = Pin<Box<dyn Stream<Item = Result<Bytes, TransportError>> + Send>>;

/// HTTP method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// `GET`.
    Get,
    /// `POST`.
    Post,
    /// `DELETE`.
    Delete,
    /// `PATCH`.
    Patch,
}

/// A request that is ready to be sent.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TransportRequest {
    /// HTTP method.
    pub method: Method,
    /// Complete URL. It never contains a key.
    pub url: String,
    /// Headers, in the order in which they are sent.
    pub headers: Vec<Header>,
    /// Body; empty if the request has none.
    pub body: Bytes,
}

/// A response whose body is still arriving.
#[non_exhaustive]
pub struct TransportResponse {
    /// HTTP status.
    pub status: u16,
    /// Headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: ByteStream,
}

/// Kind of a transport failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// The server could not be reached.
    Unreachable,
    /// The connection timed out.
    ConnectTimeout,
    /// The server's certificate is invalid or not trusted.
    Certificate,
    /// The request itself is invalid.
    Request,
    /// The connection broke.
    Broken,
}

/// Failure of an exchange with a server. The message contains no key.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct TransportError {
    /// Kind of the failure.
    pub kind: TransportErrorKind,
    /// Description of the failure.
    pub message: String,
    /// Cause of the failure.
    #[source]
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl TransportRequest {
    /// Returns a `GET` request without headers and body.
    pub fn get(url: impl Into<String>) -> Self {
        Self { method: Method::Get, url: url.into(), headers: Vec::new(), body: Bytes::new() }
    }

    /// Returns a `POST` request with this body.
    pub fn post(url: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self { method: Method::Post, body: body.into(), ..Self::get(url) }
    }

    /// Returns a `DELETE` request without headers and body.
    pub fn delete(url: impl Into<String>) -> Self {
        Self { method: Method::Delete, ..Self::get(url) }
    }

    /// Returns a `PATCH` request with this body.
    pub fn patch(url: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self { method: Method::Patch, ..Self::post(url, body) }
    }

    /// Sets a header, in place of an earlier one with the same name.
    pub fn with_header(mut self, header: Header) -> Self {
        self.headers.retain(|held| held.name != header.name);
        self.headers.push(header);
        self
    }
}

impl fmt::Debug for TransportRequest {
    // The URL can contain a password, and the body contains the conversation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransportRequest")
            .field("method", &self.method)
            .field("url", &redact_url(&self.url))
            .field("headers", &self.headers)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish()
    }
}

impl TransportResponse {
    /// Returns a response with this status, headers and body.
    pub fn new(status: u16, headers: Vec<(String, String)>, body: ByteStream) -> Self {
        let headers = headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
        Self { status, headers, body }
    }

    /// Returns the value of the first header with this name, given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

/// Returns the value of the first header with this name, given in lower case.
pub(crate) fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str())
}

impl fmt::Debug for TransportResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransportResponse")
            .field("status", &self.status)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

impl TransportError {
    /// Returns a failure of this kind with this message.
    pub fn new(kind: TransportErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// Sets the cause.
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}
