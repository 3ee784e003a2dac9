//! The rules of stores.

use std::fmt;

/// A rule that a store has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StoreRule {
    /// A run is created once, and its settings are returned with their bytes.
    KeepsRuns,
    /// The ids of runs are listed in ascending order, in pages.
    ListsRuns,
    /// A run that does not exist is [`StoreError::NotFound`](crate::StoreError::NotFound).
    ReportsUnknownRuns,
    /// A name that could leave its place is [`StoreError::Name`](crate::StoreError::Name).
    ChecksNames,
    /// Records are returned in their order, with their numbers, times and bytes.
    KeepsRecords,
    /// The journal of each key is separate from the others and from the run's own.
    SeparatesJournals,
    /// An answer replaces the answer of the same name, and answers are sorted by name.
    ReplacesAnswers,
    /// Messages keep their order until they are removed, and two messages have different numbers, also if the
    /// first was removed before the second arrived.
    KeepsMessages,
    /// An output is found by the hash of its content, and replaces the output of the same name.
    KeepsOutputs,
    /// A run has one owner at a time, also if many claim it at once.
    HasOneOwner,
    /// Each claim of a run increases its fencing number by one.
    CountsClaims,
    /// A released run can be claimed at once.
    Releases,
    /// The store refuses every write of a former owner.
    RefusesFormerOwners,
    /// The values are in the store after it was opened again.
    SurvivesReopening,
}

impl StoreRule {
    /// Every rule.
    pub const ALL: &[Self] = &[
        Self::KeepsRuns,
        Self::ListsRuns,
        Self::ReportsUnknownRuns,
        Self::ChecksNames,
        Self::KeepsRecords,
        Self::SeparatesJournals,
        Self::ReplacesAnswers,
        Self::KeepsMessages,
        Self::KeepsOutputs,
        Self::HasOneOwner,
        Self::CountsClaims,
        Self::Releases,
        Self::RefusesFormerOwners,
        Self::SurvivesReopening,
    ];
}

impl fmt::Display for StoreRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::KeepsRuns => "a run is created once, with its settings",
            Self::ListsRuns => "runs are listed in ascending order, in pages",
            Self::ReportsUnknownRuns => "a run that does not exist is reported",
            Self::ChecksNames => "a name that could leave its place is refused",
            Self::KeepsRecords => "records are returned as they were appended",
            Self::SeparatesJournals => "the journal of each key is separate",
            Self::ReplacesAnswers => "an answer replaces the answer of the same name",
            Self::KeepsMessages => "messages keep their order until they are removed",
            Self::KeepsOutputs => "an output is found by the hash of its content",
            Self::HasOneOwner => "a run has one owner at a time",
            Self::CountsClaims => "each claim increases the fencing number by one",
            Self::Releases => "a released run can be claimed at once",
            Self::RefusesFormerOwners => "every write of a former owner is refused",
            Self::SurvivesReopening => "a store that is opened again has its values",
        })
    }
}
