//! The limits of a server.

use std::time::Duration;

/// The limits of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..ServeOptions::default()`")]
pub struct ServeOptions {
    /// Maximum bytes of a request body, packed and unpacked. Default: 32 MiB.
    pub body_bytes: usize,
    /// Maximum bytes of all request bodies that are held at the same time; further ones wait for
    /// [`body_timeout`](Self::body_timeout). Default: 1 GiB.
    pub all_body_bytes: usize,
    /// Maximum concurrent connections, idle ones included; further connections wait in the backlog. Default: 4,096.
    /// [`Front::with_concurrent_requests`](crate::Front::with_concurrent_requests) bounds the work.
    pub connections: usize,
    /// Timeout for the head of a request. Default: 30 seconds.
    pub head_timeout: Duration,
    /// Timeout for the body of a request. Default: 60 seconds.
    pub body_timeout: Duration,
    /// Time for open responses to finish after [`serve_until`](crate::serve_until) is stopped. Default: 10 seconds.
    pub drain: Duration,
    /// True if answers are compressed with gzip for clients that take it. Event streams, small answers and answers that
    /// the upstream compressed stay as they are. Default: false, because it costs processor time on the machine of the
    /// gateway and saves network between the gateway and its clients only.
    pub compress: bool,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            body_bytes: 32 << 20,
            all_body_bytes: 1 << 30,
            connections: 4096,
            head_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_mins(1),
            drain: Duration::from_secs(10),
            compress: false,
        }
    }
}
