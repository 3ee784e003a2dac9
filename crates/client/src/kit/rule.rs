//! The rules of transports.

use std::fmt;

/// A rule that a transport has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TransportRule {
    /// The server receives the method.
    SendsTheMethod,
    /// The server receives the path and the query as they are in the URL.
    SendsTheTarget,
    /// The server receives every header, also a secret one.
    SendsHeaders,
    /// The server receives the bytes of the body and its length.
    SendsTheBody,
    /// A refused connection is an error of the kind
    /// [`Unreachable`](crate::TransportErrorKind::Unreachable).
    ReportsUnreachable,
    /// No error contains the value of a secret header.
    HidesSecrets,
    /// A response is returned whatever its status is.
    ReturnsEveryStatus,
    /// A request is sent once. The client decides about retries.
    SendsOnce,
    /// The names of headers are in lower case, and every value is returned.
    ReturnsHeaders,
    /// A redirect is returned and not followed.
    FollowsNoRedirect,
    /// The body is returned with its bytes.
    ReturnsTheBody,
    /// A piece of the body is returned before the server sends the next one.
    StreamsTheBody,
    /// A body that ends before its length is an error.
    ReportsBrokenBodies,
    /// A dropped future or body closes the connection.
    ClosesWhenDropped,
}

impl TransportRule {
    /// Every rule.
    pub const ALL: &[Self] = &[
        Self::SendsTheMethod,
        Self::SendsTheTarget,
        Self::SendsHeaders,
        Self::SendsTheBody,
        Self::ReportsUnreachable,
        Self::HidesSecrets,
        Self::ReturnsEveryStatus,
        Self::SendsOnce,
        Self::ReturnsHeaders,
        Self::FollowsNoRedirect,
        Self::ReturnsTheBody,
        Self::StreamsTheBody,
        Self::ReportsBrokenBodies,
        Self::ClosesWhenDropped,
    ];
}

impl fmt::Display for TransportRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SendsTheMethod => "the server receives the method",
            Self::SendsTheTarget => "the server receives the path and the query",
            Self::SendsHeaders => "the server receives every header",
            Self::SendsTheBody => "the server receives the body and its length",
            Self::ReportsUnreachable => "a refused connection is an error",
            Self::HidesSecrets => "no error contains a secret",
            Self::ReturnsEveryStatus => "a response is returned whatever its status is",
            Self::SendsOnce => "a request is sent once",
            Self::ReturnsHeaders => "headers are returned with names in lower case",
            Self::FollowsNoRedirect => "a redirect is returned and not followed",
            Self::ReturnsTheBody => "the body is returned with its bytes",
            Self::StreamsTheBody => "a piece of the body is returned before the next one is sent",
            Self::ReportsBrokenBodies => "a body that ends before its length is an error",
            Self::ClosesWhenDropped => "a dropped exchange closes its connection",
        })
    }
}
