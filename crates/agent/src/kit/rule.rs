//! The rules of approvers and of summarizers.

use std::fmt;

/// A rule that an [`Approver`](crate::Approver) has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ApproverRule {
    /// A question is open until the person answers it.
    WaitsForTheAnswer,
    /// An answer ends the question: the future returns a decision.
    Decides,
    /// The decision has the id of its request.
    NamesItsQuestion,
    /// An approval of the person is an approval, and a denial is a denial.
    ReturnsTheAnswer,
    /// Of several open questions, each gets its own answer, in whatever order they are answered.
    KeepsQuestionsApart,
    /// A question whose future was dropped is withdrawn: later questions get answers, also the same one again.
    SurvivesWithdrawals,
}

/// A rule that a [`Summarizer`](crate::Summarizer) has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SummarizerRule {
    /// The summary ends within a minute.
    Ends,
    /// A conversation with calls, pictures or one message only causes no panic.
    NeverPanics,
    /// A long conversation has a summary that is not empty.
    ReturnsText,
    /// The summary has at most half of the bytes of the conversation. Otherwise compaction frees no room.
    Shortens,
    /// A dropped summary leaves no state behind.
    SurvivesDrops,
}

impl ApproverRule {
    /// Every rule.
    pub const ALL: &[Self] = &[
        Self::WaitsForTheAnswer,
        Self::Decides,
        Self::NamesItsQuestion,
        Self::ReturnsTheAnswer,
        Self::KeepsQuestionsApart,
        Self::SurvivesWithdrawals,
    ];
}

impl SummarizerRule {
    /// Every rule.
    pub const ALL: &[Self] =
        &[Self::Ends, Self::NeverPanics, Self::ReturnsText, Self::Shortens, Self::SurvivesDrops];
}

impl fmt::Display for ApproverRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WaitsForTheAnswer => "a question is open until it is answered",
            Self::Decides => "an answer ends its question",
            Self::NamesItsQuestion => "a decision has the id of its request",
            Self::ReturnsTheAnswer => "a decision is the answer of the person",
            Self::KeepsQuestionsApart => "each of several open questions gets its own answer",
            Self::SurvivesWithdrawals => "a withdrawn question leaves no state behind",
        })
    }
}

impl fmt::Display for SummarizerRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ends => "a summary ends within a minute",
            Self::NeverPanics => "a summarizer does not panic",
            Self::ReturnsText => "a long conversation has a summary",
            Self::Shortens => "a summary is at most half as long as its conversation",
            Self::SurvivesDrops => "a dropped summary leaves no state behind",
        })
    }
}
