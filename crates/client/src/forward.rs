//! Exchanges for a gateway: bodies that are sent as they are, and answers with their headers.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use tokio::time::{Instant, timeout_at};
use windlass_protocol::{Request, ToolName, ToolSpec};
use windlass_stream::{ChunkStream, ModelError};
use windlass_vendors::Header;

use crate::response::{idle_timeout_error, read_refusal_body, total_timeout_error};
use crate::retry::add_wait;
use crate::secret::Key;
use crate::silence::SilenceTimer;
use crate::transport::{
    ByteStream, Method, TransportError, TransportErrorKind, TransportRequest, TransportResponse,
};
use crate::{Client, ClientEvent};

/// An answer that has started, with the headers of its response.
#[non_exhaustive]
pub struct StartedAnswer {
    /// The chunks.
    pub chunks: ChunkStream,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
}

impl fmt::Debug for StartedAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartedAnswer").field("headers", &self.headers).finish_non_exhaustive()
    }
}

impl Client {
    /// Returns this client with another maximum of retries and without repeats for an overloaded provider.
    pub fn with_retries(mut self, retries: usize) -> Self {
        self.inner.options.retries = retries;
        self.inner.options.retry_for = std::time::Duration::ZERO;
        self
    }

    /// Returns this client with a further callback for events, which is called after that of the builder.
    pub fn with_observer(mut self, observer: impl Fn(&ClientEvent) + Send + Sync + 'static) -> Self {
        let earlier = self.inner.observer.take();
        self.inner.observer = Some(Arc::new(move |event: &ClientEvent| {
            if let Some(earlier) = &earlier {
                earlier(event);
            }
            observer(event);
        }));
        self
    }

    /// Returns this client with a header on every request, such as the context of a trace. A header of the endpoint with
    /// the same name is sent, too, so names of keys do not belong here.
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let endpoint = &mut Arc::make_mut(&mut self.inner.failures).endpoint;
        *endpoint = endpoint.clone().with_header(name, value);
        self
    }

    /// Returns this client with caches of its own for encoded and rewritten conversations, which are empty and end with it.
    /// Shared caches hold the bodies and the messages of requests after their end. They save work for a caller that keeps its
    /// conversations, and not for one that decodes each request anew.
    pub fn with_own_memory(mut self) -> Self {
        self.inner.memories = Arc::default();
        self.inner.encoder = self.inner.encoder.with_own_memory();
        self
    }

    /// Returns whether requests for this model are sent with free-text tools as such; otherwise the client sends
    /// them as functions. Returns `None` for a Chat Completions server that no vendor's row describes: only
    /// OpenAI documents free-text tools in this format.
    pub fn takes_free_text(&self, model: &str) -> Option<bool> {
        if self.endpoint().name == "custom" && !self.wire().has_common_free_text() {
            return None;
        }
        let name = ToolName::new("probe").ok()?;
        let tool = ToolSpec::Freeform { name, description: String::new(), grammar: None };
        let request = Request::new(model, Vec::new()).with_tools(vec![tool]);
        let refused = self.inner.store.rejections(&self.provider(), model);
        Some(self.inner.encoder.prepare(&request, &refused).tools == request.tools)
    }

    /// Sends a request like [`Model::stream`](windlass_stream::Model::stream), and returns the headers of the
    /// response with the chunks.
    ///
    /// # Errors
    /// If the provider refuses the request or cannot be reached.
    pub async fn start(&self, request: &Request) -> Result<StartedAnswer, ModelError> {
        let (chunks, headers) = self.send_adapting(request).await?;
        Ok(StartedAnswer { chunks, headers: redact_headers(&self.inner.failures.key, headers) })
    }

    /// Sends a body of the provider's own format as it is, once, and returns the response as it comes. `path`
    /// is relative to the base URL. The endpoint's own headers, with its key, replace `headers` of the same
    /// name. `is_streamed` selects the timeout until the response starts: the idle timeout for a stream,
    /// the total timeout for one body.
    ///
    /// The body of an error is read whole, and the key is removed from it and from the headers of every response.
    ///
    /// Cancel-safe: dropping the future or the body closes the exchange.
    ///
    /// # Errors
    /// If the provider cannot be reached or stays silent. A refusal is a response with its status.
    pub async fn forward(
        &self,
        method: Method,
        path: &str,
        headers: Vec<(String, String)>,
        body: Bytes,
        is_streamed: bool,
    ) -> Result<TransportResponse, ModelError> {
        let (failures, options) = (&self.inner.failures, &self.inner.options);
        let request = TransportRequest { method, body, ..TransportRequest::get(failures.endpoint.url(path)) };
        let given = headers.into_iter().map(|(name, value)| Header::new(name, value));
        let own = failures.endpoint.all_headers(failures.key.expose());
        let request = given.chain(own).fold(request, TransportRequest::with_header);
        let deadline = add_wait(Instant::now(), options.total_timeout);
        let start = if is_streamed { add_wait(Instant::now(), options.idle_timeout) } else { deadline };
        let response = timeout_at(start.min(deadline), self.inner.transport.send(request))
            .await
            .map_err(|_| {
                if is_streamed {
                    idle_timeout_error(failures, options.idle_timeout)
                } else {
                    total_timeout_error(failures, options.total_timeout)
                }
            })?
            .map_err(|error| failures.transport(&error))?;
        let TransportResponse { status, headers, body } = response;
        let headers = redact_headers(&failures.key, headers);
        if (200..300).contains(&status) {
            let body = limit_silence(body, options.idle_timeout);
            return Ok(TransportResponse { status, headers, body });
        }
        let until = add_wait(Instant::now(), options.idle_timeout).min(deadline);
        let body = Bytes::from(failures.key.redact_bytes(read_refusal_body(body, until).await));
        Ok(TransportResponse::new(status, headers, Box::pin(stream::once(async { Ok(body) }))))
    }
}

/// Removes the key from the values of headers: a server between can copy a request's header into its response.
fn redact_headers(key: &Key, headers: Vec<(String, String)>) -> Vec<(String, String)> {
    headers.into_iter().map(|(name, value)| (name, key.redact_text(value))).collect()
}

/// Ends the body with an error if no bytes arrive for this time.
fn limit_silence(body: ByteStream, limit: std::time::Duration) -> ByteStream {
    let start = Some((body, SilenceTimer::new(limit)));
    Box::pin(stream::unfold(start, move |state| async move {
        let (mut body, mut timer) = state?;
        timer.restart();
        let next = poll_fn(|context| match body.poll_next_unpin(context) {
            Poll::Ready(next) => Poll::Ready(next),
            Poll::Pending => timer.poll_wait(context).map(|()| {
                let what = format!("no bytes within {limit:?} (the idle timeout)");
                Some(Err(TransportError::new(TransportErrorKind::Broken, what)))
            }),
        });
        let next = next.await?;
        let state = next.is_ok().then_some((body, timer));
        Some((next, state))
    }))
}
