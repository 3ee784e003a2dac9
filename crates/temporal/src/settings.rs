//! The settings of a run, which are part of the workflow's input.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The settings of a run: the task queues of its steps, their timeouts, and the length of a history.
///
/// ```
/// use windlass_temporal::RunSettings;
/// let settings = RunSettings::new("checkout-7").with_model_queue("models");
/// assert_eq!(settings.queue, "checkout-7");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunSettings {
    /// The task queue of the workflow and of the steps that need the workspace: decisions and calls.
    pub queue: String,
    /// The task queue of requests to the model; `None` for `queue`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_queue: Option<String>,
    /// The number of turns after which the run continues as a new workflow with an empty history.
    pub turns_per_history: u32,
    /// True if only workers with the tools of the run's beginning may execute its steps; other workers leave
    /// the step to them. By default the next worker's tools are offered from the next turn on, as after a
    /// resume on one machine.
    #[serde(default)]
    pub pins_tools: bool,
    /// True if the run sets search attributes, which
    /// [`Engine::register_search_attributes`](crate::Engine::register_search_attributes) has to add to the
    /// namespace before.
    #[serde(default)]
    pub sets_search_attributes: bool,
    /// The id of the session, for the search attribute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The timeouts of steps.
    pub timeouts: StepTimeouts,
}

/// The timeouts of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepTimeouts {
    /// Longest duration of a request to the model.
    pub model: Duration,
    /// Longest duration of a decision or a comparison of files.
    pub decision: Duration,
    /// Longest duration of a call.
    pub call: Duration,
    /// Longest silence of a worker during a step. A worker that crashes is noticed after this time.
    pub heartbeat: Duration,
    /// Delay before the first repetition of a step that may be repeated.
    pub first_retry: Duration,
    /// Longest duration of a workflow task, after which another worker gets it.
    pub workflow_task: Duration,
}

impl Default for StepTimeouts {
    fn default() -> Self {
        Self {
            model: Duration::from_mins(30),
            decision: Duration::from_mins(2),
            call: Duration::from_hours(2),
            heartbeat: Duration::from_secs(30),
            first_retry: Duration::from_secs(1),
            workflow_task: Duration::from_secs(10),
        }
    }
}

impl RunSettings {
    /// Creates the settings of a run whose workflow and calls use this task queue.
    pub fn new(queue: impl Into<String>) -> Self {
        Self {
            queue: queue.into(),
            model_queue: None,
            turns_per_history: 50,
            pins_tools: false,
            sets_search_attributes: false,
            session: None,
            timeouts: StepTimeouts::default(),
        }
    }

    /// Sets the task queue of requests to the model, so that workers for them scale separately.
    pub fn with_model_queue(mut self, queue: impl Into<String>) -> Self {
        self.model_queue = Some(queue.into());
        self
    }

    /// Sets the number of turns after which the run continues with an empty history. Zero means never.
    pub fn with_turns_per_history(mut self, turns: u32) -> Self {
        self.turns_per_history = turns;
        self
    }

    /// Pins the run to workers with the tools of its beginning.
    pub fn with_pinned_tools(mut self) -> Self {
        self.pins_tools = true;
        self
    }

    /// Sets search attributes: the session, the state and the kinds of open questions.
    pub fn with_search_attributes(mut self, session: Option<String>) -> Self {
        self.sets_search_attributes = true;
        self.session = session;
        self
    }

    /// Sets the timeouts.
    pub fn with_timeouts(mut self, timeouts: StepTimeouts) -> Self {
        self.timeouts = timeouts;
        self
    }
}
