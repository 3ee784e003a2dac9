//! What came of a fetch.

use crate::{Media, WebUrl};

/// What came of a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fetched {
    /// A server answered with text, or with nothing.
    Page(Page),
    /// A server points to another host, and nobody has judged that yet.
    Redirect(Redirect),
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// Who answered in the end.
    pub url: WebUrl,
    /// How many redirects were followed.
    pub redirects: usize,
    /// The HTTP status.
    pub status: u16,
    /// The type as the server said it; empty if it did not.
    pub content_type: String,
    /// What kind of text it is.
    pub media: Media,
    /// The text, in the characters of the body.
    pub text: String,
    /// How many bytes of the body were sent.
    pub wire_bytes: usize,
    /// How many bytes they were after decompression.
    pub decoded_bytes: usize,
    /// Why the body ends where it ends.
    pub ending: Ending,
}

/// A redirect that was not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redirect {
    /// Who redirects.
    pub from: WebUrl,
    /// Where to.
    pub to: WebUrl,
    /// The HTTP status.
    pub status: u16,
}

/// Why a body ends where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// It is all there.
    Whole,
    /// There is more than is taken from the wire.
    WireLimit,
    /// There is more than is unpacked.
    DecodedLimit,
    /// The time was over.
    OutOfTime,
    /// The connection broke.
    Cut,
    /// What was packed cannot be unpacked any further.
    Broken,
}
