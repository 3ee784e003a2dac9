//! The time at which the model receives a message.

use serde::{Deserialize, Serialize};

/// The moment at which the model receives a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "while it works, or after that")]
pub enum DeliverAt {
    /// Before the next request, after the results of the running calls.
    #[default]
    NextTurn,
    /// After the end of the task, as the next task.
    AfterTask,
}
