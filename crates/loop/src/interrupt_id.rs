//! The ids of questions to the human about how the run continues. Each question has its own id, so that an
//! answer only counts for the question that it was given to (RULES H4, H10).

use serde::{Deserialize, Serialize};

/// The subject of a question to the human.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InterruptReason {
    /// The subject was not recorded: the question is from a record before version 6.
    #[default]
    Unspecified,
    /// Too many consecutive turns brought mistakes or answers without a call.
    Mistakes,
    /// The run has used its budget.
    Budget,
    /// The effects of interrupted calls are unknown.
    UnknownEffects,
}

/// The id of one question to the human within its run. An answer
/// ([`Input::InterruptReply`](crate::Input::InterruptReply)) repeats the id and counts for that question
/// only.
///
/// ```
/// use windlass_loop::{InterruptId, InterruptReason};
/// let id = InterruptId::new(InterruptReason::Budget, 1);
/// assert_eq!(serde_json::to_string(&id)?, r#"{"matter":"budget","number":1}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InterruptId {
    /// The subject of the question.
    #[serde(rename = "matter")]
    pub reason: InterruptReason,
    /// The position of the question among all questions of the run, from 1; 0 in records before version 6. A
    /// resumed run that repeats a question in the same words keeps its number.
    pub number: u32,
}

impl InterruptId {
    /// Creates the id of the question with this number.
    pub fn new(reason: InterruptReason, number: u32) -> Self {
        Self { reason, number }
    }
}
