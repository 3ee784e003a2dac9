//! The exchange with a provider below the level of chunks: bodies as they are, and headers.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::Stream;
use windlass_client::{Client, ClientEvent, Method};
use windlass_protocol::Request;
use windlass_stream::{ChunkStream, ModelError};

/// A provider that a gateway reaches with headers and bodies of its own. [`Client`] implements it; another
/// implementation can choose among several clients.
pub trait Relay: Send + Sync {
    /// Sends a body of the provider's format as it is, once.
    ///
    /// Cancel-safe: dropping the future or the body closes the exchange.
    fn forward(&self, request: RelayRequest) -> RelayFuture<'_, RelayResponse>;

    /// Sends a request, at most `attempts` times, and returns the chunks of the answer with its headers.
    fn start<'a>(&'a self, request: &'a Request, attempts: usize) -> RelayFuture<'a, RelayAnswer>;

    /// Like [`start`](Self::start), with further options. The default ignores all but the attempts.
    fn start_with<'a>(&'a self, request: &'a Request, options: RelayOptions) -> RelayFuture<'a, RelayAnswer> {
        self.start(request, options.attempts)
    }

    /// Returns whether the provider takes free-text tools for this model, or `None` if that is unknown. Unless it
    /// does, a translated request has functions in their place. A request in the provider's own format is
    /// translated only if the provider is known not to take them.
    fn takes_free_text(&self, model: &str) -> Option<bool>;
}

/// The future of an exchange.
pub type RelayFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, ModelError>> + Send + 'a>>;

/// The options of a translated exchange.
#[derive(Clone)]
#[non_exhaustive]
pub struct RelayOptions {
    /// Maximum number of times that the request is sent.
    pub attempts: usize,
    /// The headers of a trace.
    pub headers: Vec<(String, String)>,
    /// The callback before each repeat, with the number of requests that were sent so far and the wait before the next one.
    pub on_repeat: Option<Arc<dyn Fn(usize, Duration) + Send + Sync>>,
}

/// The body of a provider's response.
pub type RelayBody = Pin<Box<dyn Stream<Item = Result<Bytes, ModelError>> + Send>>;

/// A request that is sent as it is.
#[derive(Clone)]
#[non_exhaustive]
pub struct RelayRequest {
    /// The method. Requests for an answer are `POST`.
    pub method: Method,
    /// The path with its query, relative to the provider's base URL.
    pub path: String,
    /// The headers, without a key.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// True if the client asked for a stream.
    pub is_streamed: bool,
}

/// A provider's response.
#[non_exhaustive]
pub struct RelayResponse {
    /// The status.
    pub status: u16,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: RelayBody,
}

/// A decoded answer that has started.
#[non_exhaustive]
pub struct RelayAnswer {
    /// The chunks.
    pub chunks: ChunkStream,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
}

impl RelayOptions {
    /// Creates options for this number of attempts.
    pub fn new(attempts: usize) -> Self {
        Self { attempts, headers: Vec::new(), on_repeat: None }
    }

    /// Sets the headers of a trace.
    pub fn with_headers(mut self, headers: Vec<(String, String)>) -> Self {
        self.headers = headers;
        self
    }

    /// Sets the callback before each repeat.
    pub fn with_on_repeat(mut self, callback: impl Fn(usize, Duration) + Send + Sync + 'static) -> Self {
        self.on_repeat = Some(Arc::new(callback));
        self
    }
}

impl RelayResponse {
    /// Creates a response.
    pub fn new(status: u16, headers: Vec<(String, String)>, body: RelayBody) -> Self {
        Self { status, headers, body }
    }
}

impl RelayAnswer {
    /// Creates a decoded answer.
    pub fn new(chunks: ChunkStream, headers: Vec<(String, String)>) -> Self {
        Self { chunks, headers }
    }
}

impl Relay for Client {
    fn forward(&self, request: RelayRequest) -> RelayFuture<'_, RelayResponse> {
        Box::pin(async move {
            let RelayRequest { method, path, headers, body, is_streamed } = request;
            let response = Self::forward(self, method, &path, headers, body, is_streamed).await?;
            let body = response.body.map(|bytes| bytes.map_err(|error| connection_error(&error.message)));
            Ok(RelayResponse::new(response.status, response.headers, Box::pin(body)))
        })
    }

    fn start<'a>(&'a self, request: &'a Request, attempts: usize) -> RelayFuture<'a, RelayAnswer> {
        self.start_with(request, RelayOptions::new(attempts))
    }

    fn start_with<'a>(&'a self, request: &'a Request, options: RelayOptions) -> RelayFuture<'a, RelayAnswer> {
        Box::pin(async move {
            let RelayOptions { attempts, headers, on_repeat } = options;
            let mut client = self.clone().with_own_memory().with_retries(attempts.saturating_sub(1));
            client = headers.iter().fold(client, |client, (name, value)| client.with_header(name, value));
            if let Some(on_repeat) = on_repeat {
                client = client.with_observer(move |event| {
                    if let ClientEvent::Retry { attempts, wait, .. } = event {
                        on_repeat(*attempts, *wait);
                    }
                });
            }
            let answer = Self::start(&client, request).await?;
            Ok(RelayAnswer::new(answer.chunks, answer.headers))
        })
    }

    fn takes_free_text(&self, model: &str) -> Option<bool> {
        Self::takes_free_text(self, model)
    }
}

fn connection_error(message: &str) -> ModelError {
    ModelError::new(windlass_stream::ModelErrorKind::Dropped, message)
}

impl fmt::Debug for RelayRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayRequest").field("path", &self.path).finish_non_exhaustive()
    }
}

impl fmt::Debug for RelayOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayOptions").field("attempts", &self.attempts).finish_non_exhaustive()
    }
}

impl fmt::Debug for RelayResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayResponse").field("status", &self.status).finish_non_exhaustive()
    }
}

impl fmt::Debug for RelayAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayAnswer").field("headers", &self.headers).finish_non_exhaustive()
    }
}
