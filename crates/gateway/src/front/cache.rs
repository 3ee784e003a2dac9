//! The cache of answers to equal requests.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::stream;
use serde::Serialize;

use crate::GatewayResponse;

/// Bytes that an entry costs beside its pieces.
const OF_AN_ENTRY: usize = 512;
/// Bytes that a piece costs beside its content.
const OF_A_PIECE: usize = 32;

/// Headers of an answer that are about its own exchange: a replayed answer does not have them.
const OF_ONE_EXCHANGE: [&str; 8] = [
    "request-id",
    "x-request-id",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
    "cf-ray",
    "server-timing",
    "cache-control",
];

/// The cache of answers to equal requests, for [`Front::with_cache`](crate::Front::with_cache).
///
/// Requests are equal if their client, path, query, format headers and body are equal byte for byte. Only complete answers
/// with status 200 are stored; a stream is replayed as a stream. The header `x-windlass-cache` of an answer is `hit`,
/// `miss` or `bypass`, and a hit has an `age` in seconds. A client that sends `cache-control: no-store` is neither
/// answered from the cache nor stored; `no-cache` and `max-age=0` store a new answer.
///
/// Requests with tools, and requests that store or continue state at a server, are not cached: an agent that repeats a
/// request wants another attempt, and a replayed answer would repeat its calls.
///
/// Equal requests at the same time are all sent. Sharing one exchange would let a client that disconnects, or that reads
/// slowly, decide about the answers of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..CacheOptions::default()`")]
pub struct CacheOptions {
    /// Maximum bytes of all answers. The answer that was used least recently is removed first. Default: 64 MiB.
    pub bytes: usize,
    /// Maximum bytes of one answer. Default: 1 MiB.
    pub answer_bytes: usize,
    /// Time after which an answer is not used any more. Default: 5 minutes.
    pub lifetime: Duration,
    /// True if requests with tools are cached. Default: false.
    pub with_tools: bool,
}

impl Default for CacheOptions {
    fn default() -> Self {
        Self { bytes: 64 << 20, answer_bytes: 1 << 20, lifetime: Duration::from_mins(5), with_tools: false }
    }
}

/// The part of the cache in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CacheResult {
    /// The answer is a stored one.
    Hit,
    /// The answer comes from the upstream, and is stored if it is complete.
    Miss,
    /// The request is excluded from the cache.
    Bypass,
}

impl CacheResult {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Miss => "miss",
            Self::Bypass => "bypass",
        }
    }
}

/// The identity of a request.
pub(super) type CacheKey = [u8; 32];

/// A stored answer.
#[derive(Clone)]
struct Entry {
    content_type: String,
    headers: Vec<(String, String)>,
    pieces: Vec<Bytes>,
    bytes: usize,
    stored_at: Instant,
    /// The place in the order of use.
    turn: u64,
}

/// The stored answers.
pub(super) struct AnswerCache {
    pub(super) options: CacheOptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    entries: HashMap<CacheKey, Entry>,
    /// The keys by their last use.
    order: BTreeMap<u64, CacheKey>,
    next_turn: u64,
    bytes: usize,
}

impl AnswerCache {
    pub(super) fn new(options: CacheOptions) -> Self {
        Self { options, state: Mutex::default() }
    }

    /// Returns the stored answer to an equal request.
    pub(super) fn find(&self, key: &CacheKey) -> Option<GatewayResponse> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let age = state.entries.get(key)?.stored_at.elapsed();
        if age > self.options.lifetime {
            state.remove(key);
            return None;
        }
        let turn = state.take_turn();
        let entry = state.entries.get_mut(key)?;
        let before = std::mem::replace(&mut entry.turn, turn);
        let entry = entry.clone();
        state.order.remove(&before);
        state.order.insert(turn, *key);
        drop(state);
        let mut headers = entry.headers;
        headers.push(("age".to_owned(), age.as_secs().to_string()));
        let body = Box::pin(stream::iter(entry.pieces.into_iter().map(Ok)));
        Some(GatewayResponse { status: 200, content_type: entry.content_type, headers, body })
    }

    /// Stores a complete answer, and removes others for its room.
    pub(super) fn insert(&self, key: CacheKey, answer: RecordedAnswer) {
        let RecordedAnswer { content_type, headers, pieces, bytes } = answer;
        let around = content_type.len().saturating_add(OF_AN_ENTRY);
        let of_headers = headers.iter().map(|(name, value)| name.len().saturating_add(value.len()));
        let bytes = of_headers.fold(bytes.saturating_add(around), usize::saturating_add);
        if bytes > self.options.bytes {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.remove(&key);
        while state.bytes.saturating_add(bytes) > self.options.bytes {
            let Some(oldest) = state.order.first_key_value().map(|(_, key)| *key) else { break };
            state.remove(&oldest);
        }
        let turn = state.take_turn();
        state.bytes = state.bytes.saturating_add(bytes);
        state.order.insert(turn, key);
        let stored_at = Instant::now();
        state.entries.insert(key, Entry { content_type, headers, pieces, bytes, stored_at, turn });
    }

    /// Returns the number of answers and their bytes.
    pub(super) fn size(&self) -> (usize, usize) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.entries.len(), state.bytes)
    }
}

impl State {
    fn remove(&mut self, key: &CacheKey) {
        if let Some(entry) = self.entries.remove(key) {
            self.order.remove(&entry.turn);
            self.bytes = self.bytes.saturating_sub(entry.bytes);
        }
    }

    fn take_turn(&mut self) -> u64 {
        self.next_turn = self.next_turn.saturating_add(1);
        self.next_turn
    }
}

/// The copy of an answer while it is sent.
pub(super) struct RecordedAnswer {
    content_type: String,
    headers: Vec<(String, String)>,
    pieces: Vec<Bytes>,
    bytes: usize,
}

impl RecordedAnswer {
    /// Begins the copy of an answer, whose body is empty yet.
    pub(super) fn new(answer: &GatewayResponse) -> Self {
        let is_of_the_answer = |name: &str| !OF_ONE_EXCHANGE.contains(&name) && !name.contains("ratelimit");
        let headers = answer.headers.iter().filter(|(name, _)| is_of_the_answer(name)).cloned();
        let headers = headers.collect();
        Self { content_type: answer.content_type.clone(), headers, pieces: Vec::new(), bytes: 0 }
    }

    /// Adds a piece of the body. Returns false if the answer has more than `most` bytes.
    pub(super) fn push(&mut self, piece: &Bytes, most: usize) -> bool {
        self.bytes = self.bytes.saturating_add(piece.len()).saturating_add(OF_A_PIECE);
        if self.bytes > most {
            return false;
        }
        // A piece can share the memory of a larger buffer.
        self.pieces.push(Bytes::copy_from_slice(piece));
        true
    }
}

impl fmt::Debug for AnswerCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerCache").field("options", &self.options).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
