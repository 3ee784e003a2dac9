//! How a prepared request reaches a server: the one trait that somebody else can implement.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::Stream;

use crate::endpoint::shown_url;

/// Sends prepared requests and gives the answers as they arrive.
///
/// The [`HttpTransport`](crate::HttpTransport) is the one that is used if no other is given. Another can count,
/// record, replay, sign, or speak through a library of its own; it wraps the inner one and hands on.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use windlass_client::{Outgoing, Transport, TransportFuture};
///
/// /// Counts what is sent.
/// struct Counted {
///     inner: Arc<dyn Transport>,
///     requests: AtomicUsize,
/// }
///
/// impl Transport for Counted {
///     fn send(&self, request: Outgoing) -> TransportFuture<'_> {
///         self.requests.fetch_add(1, Ordering::Relaxed);
///         self.inner.send(request)
///     }
/// }
/// ```
pub trait Transport: Send + Sync {
    /// Sends a request and waits until the answer's status and headers are there.
    ///
    /// Timers, retries and the meaning of a status are the caller's. Redirects are not followed.
    ///
    /// Cancel-safe: dropping the future or the body closes the exchange.
    fn send(&self, request: Outgoing) -> TransportFuture<'_>;
}

/// A transport that several clients share.
impl<T: Transport + ?Sized> Transport for Arc<T> {
    fn send(&self, request: Outgoing) -> TransportFuture<'_> {
        (**self).send(request)
    }
}

/// The wait for status and headers.
pub type TransportFuture<'a> = Pin<Box<dyn Future<Output = Result<Incoming, TransportError>> + Send + 'a>>;

/// A body as it arrives.
pub type ByteStream = Pin<Box<dyn Stream<Item = Result<Bytes, TransportError>> + Send>>;

/// What is done with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Something is asked for.
    Get,
    /// Something is sent.
    Post,
}

/// A request, ready to be sent.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outgoing {
    /// What is done.
    pub method: Method,
    /// The whole address. A key is never in it.
    pub url: String,
    /// The headers in the order in which they are sent.
    pub headers: Vec<Header>,
    /// The body; empty if there is none.
    pub body: Bytes,
}

/// A header of a request.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The name, in lower case.
    pub name: String,
    /// The value.
    pub value: String,
    /// Whether the value must not be shown or kept: a key.
    pub is_secret: bool,
}

/// An answer whose body is still to come.
#[non_exhaustive]
pub struct Incoming {
    /// The status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: ByteStream,
}

/// What went wrong on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// The server was not reached.
    Unreachable,
    /// It took too long to reach the server.
    ConnectTimeout,
    /// The server is not who it says, or nobody who is trusted says so.
    Certificate,
    /// The request cannot be made.
    Request,
    /// The connection broke.
    Broken,
}

/// A failure on the way to a server or back. Its words have no key in them.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct TransportError {
    /// What went wrong.
    pub kind: TransportErrorKind,
    /// In which words.
    pub message: String,
    /// The cause.
    #[source]
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl Outgoing {
    /// A request without headers and body.
    pub fn get(url: impl Into<String>) -> Self {
        Self { method: Method::Get, url: url.into(), headers: Vec::new(), body: Bytes::new() }
    }

    /// A request that sends this body.
    pub fn post(url: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self { method: Method::Post, body: body.into(), ..Self::get(url) }
    }

    /// The same request with one more header, in place of one of that name.
    pub fn with_header(mut self, header: Header) -> Self {
        self.headers.retain(|held| held.name != header.name);
        self.headers.push(header);
        self
    }
}

impl Header {
    /// A header that may be shown, unless its name says that it may not: `authorization`, `x-api-key`, `cookie`.
    pub fn new(name: impl AsRef<str>, value: impl Into<String>) -> Self {
        const SECRETS: [&str; 5] = ["authorization", "cookie", "key", "token", "secret"];
        let name = name.as_ref().to_ascii_lowercase();
        let is_secret = SECRETS.iter().any(|word| name.contains(word));
        Self { name, value: value.into(), is_secret }
    }

    /// A header that carries a key.
    pub fn secret(name: impl AsRef<str>, value: impl Into<String>) -> Self {
        Self { is_secret: true, ..Self::new(name, value) }
    }
}

impl fmt::Debug for Outgoing {
    // A base address can hold a password, and a body whatever was said.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing")
            .field("method", &self.method)
            .field("url", &shown_url(&self.url))
            .field("headers", &self.headers)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish()
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, if self.is_secret { "(hidden)" } else { &self.value })
    }
}

impl Incoming {
    /// An answer of this status with these headers and this body.
    pub fn new(status: u16, headers: Vec<(String, String)>, body: ByteStream) -> Self {
        let headers = headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
        Self { status, headers, body }
    }

    /// The first header of this name, which is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

/// The first header of this name, which is in lower case.
pub(crate) fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str())
}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming")
            .field("status", &self.status)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

impl TransportError {
    /// A failure of a kind, in these words.
    pub fn new(kind: TransportErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// The same failure with its cause.
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}
