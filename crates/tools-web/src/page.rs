//! Results of a fetch.

use crate::{Media, WebUrl};

/// Result of a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchResult {
    /// The server responded with text or an empty body.
    Page(Page),
    /// The server redirected to another host, and the redirect was not followed.
    Redirect(Redirect),
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// URL that responded, after all redirects.
    pub url: WebUrl,
    /// Number of followed redirects.
    pub redirects: usize,
    /// HTTP status.
    pub status: u16,
    /// Media type that the server declared; empty if none.
    pub content_type: String,
    /// Kind of text.
    pub media: Media,
    /// Decoded text of the body.
    pub text: String,
    /// Size of the body on the wire, in bytes.
    pub wire_bytes: usize,
    /// Size of the body after decompression, in bytes.
    pub decoded_bytes: usize,
    /// Reason for the end of the body.
    pub ending: Ending,
}

/// A redirect that was not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redirect {
    /// URL that redirected.
    pub from: WebUrl,
    /// Target URL.
    pub to: WebUrl,
    /// HTTP status.
    pub status: u16,
}

/// Reason for the end of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// The body is complete.
    Whole,
    /// The body exceeds the limit on the wire.
    WireLimit,
    /// The body exceeds the limit after decompression.
    DecodedLimit,
    /// The time limit expired.
    OutOfTime,
    /// The connection broke.
    Cut,
    /// The compressed data is damaged.
    Broken,
}
