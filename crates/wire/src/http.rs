//! A request on its way to HTTP.

use std::fmt;

use bytes::Bytes;

use crate::CachePrefix;

/// What a wire format makes of a request: all of HTTP but the address and the key, which an endpoint adds.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpRequest {
    /// The path below the endpoint's base, beginning with `/`.
    pub path: String,
    /// Headers that belong to the format, as `anthropic-version`. Never a key.
    pub headers: Vec<(String, String)>,
    /// The JSON body.
    pub body: Bytes,
}

impl HttpRequest {
    /// A POST of this body, with the header that says it is JSON.
    pub fn post(path: impl Into<String>, body: impl Into<Bytes>) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self { path: path.into(), headers, body: body.into() }
    }

    /// The length and the digest of the part of the body that the next request of the conversation begins with, the
    /// same in every process.
    pub fn cache_prefix_digest(&self) -> CachePrefix {
        CachePrefix::of(&self.body)
    }

    /// The same request with one more header.
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

impl fmt::Debug for HttpRequest {
    // A body can be megabytes and hold what the user would not want in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpRequest")
            .field("path", &self.path)
            .field("headers", &self.headers)
            .field("body_bytes", &self.body.len())
            .finish()
    }
}
