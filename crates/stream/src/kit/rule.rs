//! The rules of models.

use std::fmt;

/// A rule that a model has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ModelRule {
    /// `Model::check` returns no reason against a request that the model answers.
    AcceptsTheRequest,
    /// `Model::facts` returns the same facts for the same name.
    RepeatsFacts,
    /// The model answers a request that it accepts: no error, and no [`Chunk::Error`](crate::Chunk::Error).
    Answers,
    /// The stream ends.
    EndsTheStream,
    /// An answer has one [`Chunk::Finish`](crate::Chunk::Finish). A stream without it counts as a broken connection.
    FinishesOnce,
    /// Text, reasoning and calls precede the finish. Usage and originals may follow it.
    FinishesLast,
    /// A call begins once, before its arguments.
    StartsCalls,
    /// A call ends once, before the finish of an answer that is not truncated.
    EndsCalls,
    /// A call has a name.
    NamesCalls,
    /// Two calls have different ids.
    DistinguishesCalls,
    /// Arguments that the end of a call repeats begin with the arguments that were streamed.
    RepeatsArguments,
    /// An answer that stops because of its calls has calls.
    StopsForCalls,
    /// Usage is a total: a later count is not smaller.
    CountsTotals,
    /// The model answers after a future and a stream were dropped.
    SurvivesDrops,
    /// Two answers at the same time do not mix.
    KeepsAnswersApart,
}

impl ModelRule {
    /// Every rule.
    pub const ALL: &[Self] = &[
        Self::AcceptsTheRequest,
        Self::RepeatsFacts,
        Self::Answers,
        Self::EndsTheStream,
        Self::FinishesOnce,
        Self::FinishesLast,
        Self::StartsCalls,
        Self::EndsCalls,
        Self::NamesCalls,
        Self::DistinguishesCalls,
        Self::RepeatsArguments,
        Self::StopsForCalls,
        Self::CountsTotals,
        Self::SurvivesDrops,
        Self::KeepsAnswersApart,
    ];
}

impl fmt::Display for ModelRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AcceptsTheRequest => "a model has no reason against a request that it answers",
            Self::RepeatsFacts => "a model has one set of facts for a name",
            Self::Answers => "a model answers a request that it accepts",
            Self::EndsTheStream => "an answer ends",
            Self::FinishesOnce => "an answer has one finish",
            Self::FinishesLast => "text, reasoning and calls precede the finish",
            Self::StartsCalls => "a call begins once, before its arguments",
            Self::EndsCalls => "a call ends once, before the finish",
            Self::NamesCalls => "a call has a name",
            Self::DistinguishesCalls => "two calls have different ids",
            Self::RepeatsArguments => "repeated arguments begin with the streamed arguments",
            Self::StopsForCalls => "an answer that stops because of its calls has calls",
            Self::CountsTotals => "a later usage replaces an earlier one",
            Self::SurvivesDrops => "a dropped request leaves no state behind",
            Self::KeepsAnswersApart => "two answers at the same time do not mix",
        })
    }
}
