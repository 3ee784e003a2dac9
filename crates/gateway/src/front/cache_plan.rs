//! The decision whether a request is one for the cache, and the recording of its answer.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::{Stream, stream};
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use windlass_wire::{HeaderDirection, Server};

use super::cache::{AnswerCache, CacheKey, CacheResult, RecordedAnswer};
use crate::headers::select_headers;
use crate::passthrough::query;
use crate::recorder::Recorder;
use crate::{ClientRequest, GatewayResponse, ResponseBody};

/// Headers that name the client, its library or its conversation: the answer does not depend on them. `*` matches any end.
const OF_THE_CLIENT: [&str; 11] = [
    "user-agent",
    "idempotency-key",
    "traceparent",
    "tracestate",
    "x-stainless-*",
    "x-client-request-id",
    "originator",
    "session_id",
    "conversation_id",
    "x-app",
    "x-goog-*",
];

/// The fields by which a request offers tools, or uses state of a server. `cachedContent` is not one of them, because it
/// is read only.
#[derive(Deserialize)]
struct StateFields<'a> {
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
    #[serde(borrow, default)]
    functions: Option<&'a RawValue>,
    #[serde(borrow, default)]
    mcp_servers: Option<&'a RawValue>,
    #[serde(borrow, default)]
    web_search_options: Option<&'a RawValue>,
    #[serde(borrow, default)]
    previous_response_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    conversation: Option<&'a RawValue>,
    #[serde(borrow, default)]
    container: Option<&'a RawValue>,
    #[serde(borrow, default)]
    thread: Option<&'a RawValue>,
    #[serde(default)]
    background: Option<bool>,
    #[serde(default)]
    store: Option<bool>,
}

/// The part of the cache in one request.
pub(super) struct CachePlan {
    cache: Arc<AnswerCache>,
    /// The key of a request for the cache.
    key: Option<CacheKey>,
    reads: bool,
}

impl CachePlan {
    /// Decides about a request in the format of `server`.
    pub(super) fn new(cache: &Arc<AnswerCache>, server: &dyn Server, request: &ClientRequest) -> Self {
        let directives = request.headers.iter().filter(|(name, _)| name == "cache-control");
        let directives: Vec<String> = directives
            .flat_map(|(_, value)| value.split(','))
            .map(|directive| directive.trim().to_ascii_lowercase())
            .collect();
        let has = |name: &str| directives.iter().any(|directive| directive == name);
        let is_cacheable = !has("no-store") && is_cacheable(server, request, cache.options.with_tools);
        let key = is_cacheable.then(|| key(server, request));
        Self { cache: Arc::clone(cache), key, reads: !has("no-cache") && !has("max-age=0") }
    }

    /// Returns the stored answer.
    pub(super) fn find(&self) -> Option<GatewayResponse> {
        self.cache
            .find(self.key.as_ref().filter(|_| self.reads)?)
            .map(|answer| mark(answer, CacheResult::Hit))
    }

    /// Returns the result of a request that is not answered from the cache.
    pub(super) fn result(&self) -> CacheResult {
        if self.key.is_some() { CacheResult::Miss } else { CacheResult::Bypass }
    }

    /// Returns true if the answer is stored when it is complete.
    pub(super) fn stores(&self) -> bool {
        self.key.is_some()
    }

    /// Records an answer, and stores it when it has ended.
    pub(super) fn record(self, mut answer: GatewayResponse, recorder: Arc<Recorder>) -> GatewayResponse {
        let result = self.result();
        if let Some(key) = self.key.filter(|_| answer.status == 200) {
            let copy = Some(RecordedAnswer::new(&answer));
            let body = std::mem::replace(&mut answer.body, Box::pin(stream::empty()));
            let cache = self.cache;
            answer.body = Box::pin(RecordingBody { body, copy, cache, key, recorder });
        }
        mark(answer, result)
    }
}

fn mark(mut answer: GatewayResponse, result: CacheResult) -> GatewayResponse {
    answer.headers.push(("x-windlass-cache".to_owned(), result.as_str().to_owned()));
    answer
}

/// Returns true if an equal request may get the same answer. A body that is not an object is refused elsewhere.
fn is_cacheable(server: &dyn Server, request: &ClientRequest, with_tools: bool) -> bool {
    let body = request.body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&request.body);
    let Ok(fields) = serde_json::from_slice::<StateFields<'_>>(body) else { return false };
    let has_value =
        |value: Option<&RawValue>| value.is_some_and(|value| !matches!(value.get(), "null" | "[]"));
    let is_stored = match fields.store {
        Some(store) => store,
        // The API stores responses by default.
        None => server.stores_responses(),
    };
    let state = [fields.previous_response_id, fields.conversation, fields.container, fields.thread];
    // Servers of tools run at the provider, and can change anything.
    let has_state = state.into_iter().any(has_value) || has_value(fields.mcp_servers);
    let tools = [fields.tools, fields.functions, fields.web_search_options];
    let has_tools = tools.into_iter().any(has_value);
    !is_stored && !has_state && fields.background != Some(true) && (with_tools || !has_tools)
}

/// Returns the hash of a request and its client.
fn key(server: &dyn Server, request: &ClientRequest) -> CacheKey {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        // A length before each part: the parts of two requests cannot run into each other.
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    };
    add(request.owner.as_bytes());
    add(request.route().as_bytes());
    add(query(&request.path).as_bytes());
    let mut headers = select_headers(HeaderDirection::Up, server, &request.headers);
    headers.retain(|(name, _)| !is_of_the_client(name));
    headers.sort_unstable();
    for (name, value) in &headers {
        add(name.as_bytes());
        add(value.as_bytes());
    }
    add(b"");
    add(&request.body);
    hash.finalize().into()
}

fn is_of_the_client(name: &str) -> bool {
    OF_THE_CLIENT.iter().any(|known| match known.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == *known,
    })
}

/// A body that is copied while it passes.
struct RecordingBody {
    body: ResponseBody,
    copy: Option<RecordedAnswer>,
    cache: Arc<AnswerCache>,
    key: CacheKey,
    recorder: Arc<Recorder>,
}

impl Stream for RecordingBody {
    type Item = std::io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.body.as_mut().poll_next(cx));
        let most = self.cache.options.answer_bytes;
        match &next {
            Some(Ok(bytes)) => {
                if self.copy.as_mut().is_some_and(|copy| !copy.push(bytes, most)) {
                    self.copy = None;
                }
            }
            Some(Err(_)) => self.copy = None,
            None => {
                let record = self.recorder.read();
                if let Some(copy) = self.copy.take()
                    && record.is_finished
                    && !record.has_failed
                {
                    self.cache.insert(self.key, copy);
                }
            }
        }
        Poll::Ready(next)
    }
}
