//! `OpenApiLimits`: maximum sizes and durations of a request.

use std::time::Duration;

/// Maximum sizes and durations of a request.
///
/// ```
/// use std::time::Duration;
/// use windlass_tools_openapi::OpenApiLimits;
/// let limits = OpenApiLimits::default().with_total(Duration::from_secs(5));
/// assert_eq!(limits.response_bytes, 1_048_576);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenApiLimits {
    /// Timeout for a connection: 10 s.
    pub connect: Duration,
    /// Timeout for the complete request, redirects included: 30 s.
    pub total: Duration,
    /// Maximum size of the body of a request, in bytes: 1 MiB.
    pub request_bytes: usize,
    /// Maximum size of the body of a response, in bytes: 1 MiB. The rest is not read.
    pub response_bytes: usize,
    /// Maximum size of the text for the model, in bytes: 40,000.
    pub shown_bytes: usize,
    /// Maximum number of redirects: 3.
    pub redirects: usize,
}

impl Default for OpenApiLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(30),
            request_bytes: 1024 * 1024,
            response_bytes: 1024 * 1024,
            shown_bytes: 40_000,
            redirects: 3,
        }
    }
}

impl OpenApiLimits {
    /// Sets the timeout for a connection.
    pub fn with_connect(mut self, connect: Duration) -> Self {
        self.connect = connect;
        self
    }

    /// Sets the timeout for the complete request.
    pub fn with_total(mut self, total: Duration) -> Self {
        self.total = total;
        self
    }

    /// Sets the maximum size of the body of a request.
    pub fn with_request_bytes(mut self, bytes: usize) -> Self {
        self.request_bytes = bytes;
        self
    }

    /// Sets the maximum size of the body of a response.
    pub fn with_response_bytes(mut self, bytes: usize) -> Self {
        self.response_bytes = bytes;
        self
    }

    /// Sets the maximum size of the text for the model.
    pub fn with_shown_bytes(mut self, bytes: usize) -> Self {
        self.shown_bytes = bytes;
        self
    }

    /// Sets the maximum number of redirects.
    pub fn with_redirects(mut self, redirects: usize) -> Self {
        self.redirects = redirects;
        self
    }
}
