//! The rules of wire formats.

use std::fmt;

/// A rule that a wire format has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum WireRule {
    /// A method does not panic, whatever the bytes are.
    NeverPanics,
    /// `encode` succeeds and `check` has no reason against the request of the test.
    AcceptsTheRequest,
    /// Equal requests have equal bytes.
    RepeatsBodies,
    /// The body of the next request of a conversation begins with the previous body without its closing brackets, so
    /// that a provider's prompt cache is used.
    ExtendsBodies,
    /// [`EncodedHistory`](crate::EncodedHistory), which extends the previous body, produces the bytes of `encode`.
    KeepsHistories,
    /// The streamed answer of the test decodes to a complete answer, by the rules of
    /// [`ModelRule`](windlass_stream::kit::ModelRule).
    DecodesTheStream,
    /// The chunks do not depend on how the bytes are split.
    IgnoresSplits,
    /// A stream that is cut in its content has no finish that looks complete.
    NoticesCuts,
    /// An answer above a limit is [`DecodeError::Limit`](crate::DecodeError::Limit).
    KeepsLimits,
    /// An empty body and a web page are errors, not answers.
    RefusesForeignBodies,
    /// The answer as one body has the text, the calls and the stop reason of the streamed answer.
    AgreesWithTheWhole,
    /// An error response has a message, and is retryable exactly for a status that may pass.
    ExplainsErrors,
}

impl WireRule {
    /// Every rule.
    pub const ALL: &[Self] = &[
        Self::NeverPanics,
        Self::AcceptsTheRequest,
        Self::RepeatsBodies,
        Self::ExtendsBodies,
        Self::KeepsHistories,
        Self::DecodesTheStream,
        Self::IgnoresSplits,
        Self::NoticesCuts,
        Self::KeepsLimits,
        Self::RefusesForeignBodies,
        Self::AgreesWithTheWhole,
        Self::ExplainsErrors,
    ];
}

impl fmt::Display for WireRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NeverPanics => "a wire format does not panic",
            Self::AcceptsTheRequest => "the request of the test is encoded",
            Self::RepeatsBodies => "equal requests have equal bytes",
            Self::ExtendsBodies => "the next body begins with the previous one",
            Self::KeepsHistories => "an extended body has the bytes of a new one",
            Self::DecodesTheStream => "the stream of the test is a complete answer",
            Self::IgnoresSplits => "chunks do not depend on how the bytes are split",
            Self::NoticesCuts => "a cut answer does not look complete",
            Self::KeepsLimits => "an answer above a limit is an error",
            Self::RefusesForeignBodies => "a body of another kind is an error",
            Self::AgreesWithTheWhole => "a whole body has the content of the stream",
            Self::ExplainsErrors => "an error response has a message and the right kind",
        })
    }
}
