//! The rules of approvers, checkpointers, hooks and summarizers.

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

/// A rule that a [`Checkpointer`](crate::Checkpointer) has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CheckpointerRule {
    /// Every operation ends within a minute.
    Ends,
    /// No operation panics.
    NeverPanics,
    /// A dropped operation leaves no state behind: a later checkpoint succeeds.
    SurvivesDrops,
    /// Each turn gets a checkpoint.
    Saves,
    /// Two different states of the workspace have different names, which are not empty.
    NamesStates,
    /// The diff of a turn has the lines that the turn wrote.
    ReturnsTheDiff,
    /// The diff of a turn does not have the changes of earlier turns.
    SeparatesTurns,
    /// The diff of a turn that restored all its changes is empty.
    IsEmptyWithoutChanges,
    /// The diff of the run has the net changes of all turns.
    CoversTheRun,
}

/// A rule that a [`Hook`](crate::Hook) has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum HookRule {
    /// The name is not blank. Records and reasons show it.
    HasAName,
    /// The hook has at least one point, and each point once.
    NamesItsPoints,
    /// The name and the points do not change.
    StaysTheSame,
    /// Every method ends within 30 seconds.
    Ends,
    /// A second call of a method ends, too.
    SurvivesRepetition,
    /// No method panics.
    NeverPanics,
    /// A veto and a question have a reason, which the model or a person reads.
    GivesReasons,
    /// A rewritten request has each call with its result. Providers refuse others.
    KeepsPairs,
    /// A rewritten result belongs to the same call.
    KeepsTheCall,
}

impl CheckpointerRule {
    /// Every rule.
    pub const ALL: &[Self] = &[
        Self::Ends,
        Self::NeverPanics,
        Self::SurvivesDrops,
        Self::Saves,
        Self::NamesStates,
        Self::ReturnsTheDiff,
        Self::SeparatesTurns,
        Self::IsEmptyWithoutChanges,
        Self::CoversTheRun,
    ];
}

impl HookRule {
    /// Every rule.
    pub const ALL: &[Self] = &[
        Self::HasAName,
        Self::NamesItsPoints,
        Self::StaysTheSame,
        Self::Ends,
        Self::SurvivesRepetition,
        Self::NeverPanics,
        Self::GivesReasons,
        Self::KeepsPairs,
        Self::KeepsTheCall,
    ];
}

impl fmt::Display for CheckpointerRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ends => "an operation ends within a minute",
            Self::NeverPanics => "a checkpointer does not panic",
            Self::SurvivesDrops => "a dropped operation leaves no state behind",
            Self::Saves => "each turn gets a checkpoint",
            Self::NamesStates => "two states of the workspace have two names",
            Self::ReturnsTheDiff => "the diff of a turn has its changes",
            Self::SeparatesTurns => "the diff of a turn has no earlier changes",
            Self::IsEmptyWithoutChanges => "the diff of a turn without net changes is empty",
            Self::CoversTheRun => "the diff of a run has the changes of all turns",
        })
    }
}

impl fmt::Display for HookRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HasAName => "a hook has a name",
            Self::NamesItsPoints => "a hook names each of its points once",
            Self::StaysTheSame => "the name and the points of a hook do not change",
            Self::Ends => "a method of a hook ends within 30 seconds",
            Self::SurvivesRepetition => "a second call of a method ends",
            Self::NeverPanics => "a hook does not panic",
            Self::GivesReasons => "a veto and a question have a reason",
            Self::KeepsPairs => "a rewritten request has each call with its result",
            Self::KeepsTheCall => "a rewritten result belongs to the same call",
        })
    }
}
