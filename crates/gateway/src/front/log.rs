//! The log of requests.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::cache::CacheResult;
use crate::recorder::Repeat;

/// The status that servers log for a client that closed the connection before the answer.
pub(super) const CLOSED_BY_CLIENT: u16 = 499;

/// A request, after its answer has ended. It contains no body, no header and no query, and a client's key in its path or its
/// model is replaced, so it contains no secret of a client or a provider.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RequestLine {
    /// The time of the request, in milliseconds since 1970.
    pub time_ms: u64,
    /// The name of the client's key, or an empty text without keys.
    pub client: String,
    /// The client's wire format.
    pub format: String,
    /// The path without its query.
    pub path: String,
    /// The model that the client named.
    pub model: String,
    /// The status of the answer.
    pub status: u16,
    /// The time until the request was sent to the upstream that answered, in milliseconds: that of failed attempts at other
    /// upstreams. `None` if no request was sent.
    pub wait_ms: Option<u64>,
    /// The time until the first byte of the body, in milliseconds; `None` if no byte was sent.
    pub first_byte_ms: Option<u64>,
    /// The time until the end, in milliseconds.
    pub total_ms: u64,
    /// The bytes of the answer's body.
    pub bytes: u64,
    /// The label of the upstream, or an empty text if no request was sent.
    pub upstream: String,
    /// The input tokens that the provider counted; `None` without a count.
    pub input_tokens: Option<u64>,
    /// The output tokens that the provider counted; `None` without a count.
    pub output_tokens: Option<u64>,
    /// The cost in millionths of the currency of the prices; `None` without a count or a price.
    pub cost_millionths: Option<u64>,
    /// The repeated sends to upstreams.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<Repeat>,
    /// The part of the cache in the answer; `None` without a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheResult>,
    /// False if the answer was cut: by the client, by the upstream or by the end of the server.
    pub is_complete: bool,
}

/// A receiver of the log. It is called on the server's threads and must not block for long.
pub trait RequestLog: Send + Sync {
    /// Receives the line of a request whose answer has ended.
    fn log(&self, line: &RequestLine);
}

/// A log of a share of the requests. Refused, failed and cut requests are always logged.
///
/// ```
/// use std::sync::Arc;
/// use windlass_gateway::{RequestLog, SampledLog};
/// # fn example(file: Arc<dyn RequestLog>) {
/// // One of a hundred.
/// let log = SampledLog::new(file, 0.01);
/// # drop(log);
/// # }
/// ```
#[derive(Clone)]
pub struct SampledLog {
    log: Arc<dyn RequestLog>,
    share: f64,
}

impl SampledLog {
    /// Creates a log of a share of the requests, between 0 and 1.
    pub fn new(log: Arc<dyn RequestLog>, share: f64) -> Self {
        Self { log, share: share.clamp(0.0, 1.0) }
    }
}

impl RequestLog for SampledLog {
    fn log(&self, line: &RequestLine) {
        let is_ordinary = line.status < 400 && line.is_complete;
        // Without randomness every line is logged.
        let random = getrandom::u32().unwrap_or_default();
        if !is_ordinary || f64::from(random) / (f64::from(u32::MAX) + 1.0) < self.share {
            self.log.log(line);
        }
    }
}

impl fmt::Debug for SampledLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampledLog").field("share", &self.share).finish_non_exhaustive()
    }
}
