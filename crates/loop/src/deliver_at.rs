//! The time at which the model receives a message.

use serde::{Deserialize, Serialize};

/// The moment at which the model receives a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "while it works, or after that")]
pub enum DeliverAt {
    /// The model receives the message with the next request, after the results of the running calls.
    #[default]
    NextTurn,
    /// The model receives the message after the end of the current task, as the next task.
    AfterTask,
}
