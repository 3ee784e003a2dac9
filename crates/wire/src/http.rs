//! The HTTP form of an encoded request.

use std::fmt;

use bytes::Bytes;

use crate::CachePrefix;

/// An encoded request: path, headers and body. The endpoint adds the address and the API key.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpRequest {
    /// The path relative to the endpoint's base URL, beginning with `/`.
    pub path: String,
    /// Headers of the format, such as `anthropic-version`. Never contains an API key.
    pub headers: Vec<(String, String)>,
    /// The JSON body.
    pub body: Bytes,
}

impl HttpRequest {
    /// Creates a POST request with a JSON body and its `content-type` header.
    pub fn post(path: impl Into<String>, body: impl Into<Bytes>) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self { path: path.into(), headers, body: body.into() }
    }

    /// Returns the length and the digest of the prefix that the next request of the conversation repeats. The
    /// value is identical in every process.
    pub fn cache_prefix_digest(&self) -> CachePrefix {
        CachePrefix::from_body(&self.body)
    }

    /// Adds a header.
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

impl fmt::Debug for HttpRequest {
    // A body can be megabytes long and contain private data, so log only its length.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpRequest")
            .field("path", &self.path)
            .field("headers", &self.headers)
            .field("body_bytes", &self.body.len())
            .finish()
    }
}
