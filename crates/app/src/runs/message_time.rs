//! The time at which a run receives a message.

use windlass_agent::DeliverAt;

/// Time at which the model receives a message to its run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageTime {
    /// The running calls are stopped, and the model receives the message with their results. An answer that streams is
    /// not cut, and calls that wait for a person keep waiting.
    Now,
    /// With the next request, after the results of the running calls.
    #[default]
    AfterTurn,
    /// After the end of the current task, as the next task.
    AfterTask,
}

impl MessageTime {
    pub(super) fn deliver_at(self) -> DeliverAt {
        match self {
            Self::Now | Self::AfterTurn => DeliverAt::NextTurn,
            Self::AfterTask => DeliverAt::AfterTask,
        }
    }
}

impl From<DeliverAt> for MessageTime {
    fn from(when: DeliverAt) -> Self {
        match when {
            DeliverAt::AfterTask => Self::AfterTask,
            DeliverAt::NextTurn => Self::AfterTurn,
        }
    }
}
