//! Retries, timeouts and limits of a client.

use std::time::Duration;

use windlass_wire::WireLimits;

/// Retries, timeouts and limits of a [`Client`](crate::Client).
///
/// ```
/// use std::time::Duration;
/// use windlass_client::Options;
/// let options = Options { idle_timeout: Duration::from_secs(30), ..Options::default() };
/// assert_eq!(options.retries, 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..Options::default()`")]
pub struct Options {
    /// Maximum number of retries of a refused or unreachable request.
    pub retries: usize,
    /// Time, counted from the first refusal, in which requests to an overloaded provider (408, 409, 429, 5xx)
    /// are repeated even after `retries` are used up. Zero, the default, disables this. If the provider asks
    /// for a longer wait than remains, the client gives up.
    pub retry_for: Duration,
    /// First wait between attempts. It doubles with each attempt; the actual wait is a random part of it
    /// (full jitter).
    pub backoff: Duration,
    /// Maximum of that wait. A longer wait that the provider asks for is kept.
    pub longest_backoff: Duration,
    /// Timeout for establishing a connection.
    pub connect_timeout: Duration,
    /// Maximum time until a streamed answer starts, and without new content in it. Keep-alive comments, pings and
    /// usage counts do not reset it.
    pub idle_timeout: Duration,
    /// Maximum time for an answer, retries included.
    pub total_timeout: Duration,
    /// Limits on the size of one answer.
    pub limits: WireLimits,
    /// Waits between requests.
    pub pace: Pace,
}

/// Waits between requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "waiting or not")]
pub enum Pace {
    /// Wait as the provider asks, or with the default backoff.
    #[default]
    Kept,
    /// Do not wait: the answers are a recording.
    Ignored,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            retries: 4,
            retry_for: Duration::ZERO,
            backoff: Duration::from_millis(200),
            longest_backoff: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_mins(5),
            total_timeout: Duration::from_mins(30),
            limits: WireLimits::default(),
            pace: Pace::Kept,
        }
    }
}
