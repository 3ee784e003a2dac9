//! The stages of a decision.

use serde::{Deserialize, Serialize};

/// Stage of a decision. [`decide`](crate::decide) passes each part of a call through the stages in this
/// order. Records store a stage as its number, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
#[non_exhaustive]
pub enum Stage {
    /// The call exceeds a limit, or the text of a path, host or command is invalid.
    Validity,
    /// The floor: what no rule can allow.
    Floor,
    /// Deny rules.
    DenyRules,
    /// Constraints, and the denials of [`Autonomy::ReadOnly`](crate::Autonomy::ReadOnly).
    Constraints,
    /// Ask rules, and the built-in rules that demand a question.
    AskRules,
    /// Allow rules.
    AllowRules,
    /// Grants for the session.
    SessionGrants,
    /// Approvals that were learned from earlier answers.
    LearnedApprovals,
    /// The default of the run's autonomy.
    Autonomy,
}

impl Stage {
    /// All stages in order. The position of a stage is its number.
    const ALL: [Self; 9] = [
        Self::Validity,
        Self::Floor,
        Self::DenyRules,
        Self::Constraints,
        Self::AskRules,
        Self::AllowRules,
        Self::SessionGrants,
        Self::LearnedApprovals,
        Self::Autonomy,
    ];
}

/// Error of reading a record: a number that does not belong to a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not the number of a stage")]
#[non_exhaustive]
pub struct UnknownStage(pub u8);

impl From<Stage> for u8 {
    fn from(stage: Stage) -> Self {
        match stage {
            Stage::Validity => 0,
            Stage::Floor => 1,
            Stage::DenyRules => 2,
            Stage::Constraints => 3,
            Stage::AskRules => 4,
            Stage::AllowRules => 5,
            Stage::SessionGrants => 6,
            Stage::LearnedApprovals => 7,
            Stage::Autonomy => 8,
        }
    }
}

impl TryFrom<u8> for Stage {
    type Error = UnknownStage;

    fn try_from(number: u8) -> Result<Self, UnknownStage> {
        Self::ALL.get(usize::from(number)).copied().ok_or(UnknownStage(number))
    }
}

#[cfg(test)]
mod tests {
    use super::Stage;

    #[test]
    fn a_stage_is_stored_as_the_number_that_records_have_always_had() {
        for (number, stage) in Stage::ALL.into_iter().enumerate() {
            let text = serde_json::to_string(&stage).unwrap();
            assert_eq!(text, number.to_string());
            assert_eq!(serde_json::from_str::<Stage>(&text).unwrap(), stage);
        }
        assert!(serde_json::from_str::<Stage>("9").is_err());
    }
}
