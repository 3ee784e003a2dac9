//! How patient a client is.

use std::time::Duration;

use windlass_wire::Limits;

/// How patient a client is, and how much it takes.
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
    /// How often a refused or unreachable request is sent again.
    pub retries: usize,
    /// How long a request that is refused because the provider is overloaded (429, 5xx, 529) is sent again after
    /// `retries` are used, counted from the first refusal. Zero, the default, gives up then. A provider that asks for a
    /// longer wait than is left of this is not waited for.
    pub retry_for: Duration,
    /// The first wait before that; it doubles each time, with jitter.
    pub backoff: Duration,
    /// The longest such wait. A longer wait that the provider asks for is kept.
    pub longest_backoff: Duration,
    /// How long a connection may take.
    pub connect_timeout: Duration,
    /// How long an answer may be silent. Keep-alive comments and pings do not count.
    pub idle_timeout: Duration,
    /// How long an answer may take in all.
    pub total_timeout: Duration,
    /// How much one answer may hold.
    pub limits: Limits,
    /// Whether anything is waited for between requests.
    pub pace: Pace,
}

/// Whether anything is waited for between requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "waiting or not")]
pub enum Pace {
    /// What a provider asks for, and what is decent without that.
    #[default]
    Kept,
    /// Nothing: it is a recording that answers, and its waits are over.
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
            limits: Limits::default(),
            pace: Pace::Kept,
        }
    }
}
