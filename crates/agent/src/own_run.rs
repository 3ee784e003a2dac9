//! The properties of a run.

use std::path::PathBuf;
use std::sync::Arc;

use windlass_stream::Model;
use windlass_tool::CancellationToken;

use crate::hand_off_slot::HandOffSlot;
use crate::{RunningCalls, SharedBudget};

/// The properties of this run that tools see in the context of a call, and its own model.
pub(crate) struct OwnRun {
    pub(crate) id: String,
    pub(crate) outputs: Option<PathBuf>,
    pub(crate) shared_budget: SharedBudget,
    pub(crate) running_calls: RunningCalls,
    pub(crate) ended: CancellationToken,
    /// The token that stops the run in order.
    pub(crate) stop: CancellationToken,
    /// The place for a transfer of the conversation, in a session.
    pub(crate) hand_off: Option<HandOffSlot>,
    /// The model that replaces the agent's model.
    pub(crate) model: Option<Arc<dyn Model>>,
}
