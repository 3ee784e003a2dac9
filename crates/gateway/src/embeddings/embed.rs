//! The forwarding of requests for embeddings and of their answers.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream;
use memchr::memmem;
use windlass_client::Method;
use windlass_protocol::Usage;
use windlass_stream::ModelError;
use windlass_wire::{HeaderDirection, Outline, ProviderError, ProviderErrorKind, Server};

use crate::embeddings::Embeddings;
use crate::forward::{pass_whole, send};
use crate::gateway::Gateway;
use crate::headers::select_headers;
use crate::recorder::Recorder;
use crate::relay::{RelayBody, RelayRequest};
use crate::response::refuse;
use crate::stop::{Phase, Stop};
use crate::{ClientRequest, GatewayResponse, refusal};

/// Bytes that two pieces of an answer share in the search for the count.
const OVERLAP: usize = 64;

impl Gateway {
    /// Forwards a request for embeddings and its answer. `outline` is that of the request if the caller has read it.
    pub(crate) async fn embed(
        &self,
        api: Embeddings,
        server: &dyn Server,
        request: &ClientRequest,
        outline: Option<Outline>,
        stop: Stop,
    ) -> GatewayResponse {
        if !self.hooks.is_empty() {
            return refuse(
                server,
                &refusal::invalid_request("a policy of this gateway cannot read embeddings"),
            );
        }
        let outline = match outline.map_or_else(|| api.outline(request), Ok) {
            Ok(outline) => outline,
            Err(error) => return refuse(server, &error),
        };
        let relay =
            self.upstream.relay.as_ref().filter(|_| api.is_offered(&self.servers, self.upstream.wire.name()));
        let Some(relay) = relay else { return refuse(server, &not_offered(&outline.model)) };
        let name = self.upstream.name.as_deref().unwrap_or(&outline.model);
        let (path, body) = match api.address(request, &outline.model, name) {
            Ok(address) => address,
            Err(error) => return refuse(server, &error),
        };
        let mut headers = select_headers(HeaderDirection::Up, server, &request.headers);
        if headers.iter().all(|(name, _)| name != "content-type") {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        if let Some(recorder) = &self.recorder {
            recorder.begin(&self.upstream.label, self.upstream.prices(name));
        }
        let sent = RelayRequest { method: Method::Post, path, headers, body, is_streamed: false };
        match send(relay.as_ref(), server, sent, &mut stop.into_signal(Phase::Ending)).await {
            Ok(response) => pass_whole(server, response, |body, status| match &self.recorder {
                Some(recorder) if status == 200 => {
                    Box::pin(CountedEmbeddings { body, recorder: recorder.clone(), tail: Vec::new() })
                }
                _ => body,
            }),
            Err(refusal) => *refusal,
        }
    }
}

fn not_offered(model: &str) -> ProviderError {
    let what = format!("the upstream of the model {model:?} has no embeddings in this format");
    ProviderError::new(ProviderErrorKind::NotFound, Some("model_not_found".to_owned()), what).with_status(404)
}

/// A body with embeddings that passes unchanged, while its count of tokens is read.
struct CountedEmbeddings {
    body: RelayBody,
    recorder: Arc<Recorder>,
    /// The last bytes, because a count can arrive in two pieces.
    tail: Vec<u8>,
}

impl CountedEmbeddings {
    fn observe(&mut self, bytes: &[u8]) {
        self.tail.extend_from_slice(bytes);
        if let Some(tokens) = find_count(&self.tail) {
            self.recorder.count(Usage { input_tokens: tokens, ..Usage::default() });
        }
        let start = self.tail.len().saturating_sub(OVERLAP);
        self.tail.drain(..start);
    }
}

impl Stream for CountedEmbeddings {
    type Item = Result<Bytes, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.body.as_mut().poll_next(cx));
        match &next {
            Some(Ok(bytes)) => self.observe(bytes),
            Some(Err(_)) => {}
            None => self.recorder.finish(),
        }
        Poll::Ready(next)
    }
}

/// Finds the number of input tokens. A number at the end of the bytes may continue, so the next piece decides.
fn find_count(bytes: &[u8]) -> Option<u64> {
    let names: [&[u8]; 2] = [b"\"prompt_tokens\"", b"\"promptTokenCount\""];
    names.into_iter().find_map(|name| {
        let start = memmem::find(bytes, name)?.saturating_add(name.len());
        let value = bytes.get(start..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let digits = value.iter().position(|byte| !byte.is_ascii_digit())?;
        std::str::from_utf8(value.get(..digits)?).ok()?.parse().ok()
    })
}

impl fmt::Debug for CountedEmbeddings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountedEmbeddings").finish_non_exhaustive()
    }
}
