//! The rules of servers.

use std::fmt;

/// A rule that the provider's side of a format has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ServerRule {
    /// A method does not panic, whatever the bytes are.
    NeverPanics,
    /// The server and the client's side of the format have the same name.
    HasOneName,
    /// A request that the client's side encodes is decoded, at the path to which it is sent.
    DecodesRequests,
    /// The outline of a request has the model and the framing of its decoded form.
    OutlinesRequests,
    /// A decoded request is encoded to the bytes from which it was decoded.
    KeepsRequests,
    /// Bodies that are not a request are errors with a reason.
    RefusesForeignBodies,
    /// Answers are written without an error, and have a media type.
    WritesAnswers,
    /// The client's side reads the text, the calls, the stop reason and the usage that were written, however the bytes are
    /// split, and whether or not the connection was kept busy.
    KeepsAnswers,
    /// An answer that was cut or interrupted does not look complete.
    NoticesCuts,
    /// The client's side reads the kind, the status and the message of an error response.
    KeepsErrors,
    /// The client's side notices a failure inside an answer.
    KeepsFailures,
}

impl ServerRule {
    /// Every rule.
    pub const ALL: &[Self] = &[
        Self::NeverPanics,
        Self::HasOneName,
        Self::DecodesRequests,
        Self::OutlinesRequests,
        Self::KeepsRequests,
        Self::RefusesForeignBodies,
        Self::WritesAnswers,
        Self::KeepsAnswers,
        Self::NoticesCuts,
        Self::KeepsErrors,
        Self::KeepsFailures,
    ];
}

impl fmt::Display for ServerRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NeverPanics => "a server does not panic",
            Self::HasOneName => "both sides of a format have the same name",
            Self::DecodesRequests => "a request of the client's side is decoded",
            Self::OutlinesRequests => "an outline agrees with the decoded request",
            Self::KeepsRequests => "a decoded request has the bytes from which it was decoded",
            Self::RefusesForeignBodies => "a body that is not a request is an error with a reason",
            Self::WritesAnswers => "an answer is written",
            Self::KeepsAnswers => "the client's side reads the answer that was written",
            Self::NoticesCuts => "a cut answer does not look complete",
            Self::KeepsErrors => "the client's side reads the error that was written",
            Self::KeepsFailures => "a failure inside an answer is noticed",
        })
    }
}
