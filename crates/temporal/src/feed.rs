//! The feed of a worker: events of steps that have not ended.

use std::sync::Arc;

use windlass_loop::Event;

use crate::data::StepId;

/// An event of a step that has not ended. It is not part of the history: if the worker crashes, the next
/// attempt at the step begins again, and observers discard the text of the attempt before.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FeedItem {
    /// The id of the run.
    pub run: String,
    /// The key of the step.
    pub step: String,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The event.
    pub event: Event,
}

impl FeedItem {
    pub(crate) fn new(id: &StepId, attempt: u32, event: Event) -> Self {
        Self { run: id.run.clone(), step: id.key.clone(), attempt, event }
    }
}

/// The receiver of a worker's feed.
pub(crate) type FeedSink = Arc<dyn Fn(FeedItem) + Send + Sync>;
