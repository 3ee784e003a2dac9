//! Calls that an earlier process started.

use windlass_loop::Input;
use windlass_protocol::{PlannedFile, ReconcileOutcome, ToolCall};

use super::CommandRunner;

impl CommandRunner {
    /// Determines from the planned files whether an interrupted call took effect.
    pub(super) fn look_back(&mut self, call: ToolCall, planned: Vec<PlannedFile>) {
        let tools = self.tools.clone();
        let id = call.id.clone();
        let otherwise = Input::Reconciled { call: id.clone(), outcome: ReconcileOutcome::default() };
        self.start(otherwise, async move {
            let look = move || tools.current().map(|toolbox| toolbox.aftermath(&call, &planned));
            let aftermath = tokio::task::spawn_blocking(look).await.ok().flatten().unwrap_or_default();
            Input::Reconciled { call: id, outcome: aftermath }
        });
    }

    /// Returns the result of a deferred call if it has arrived.
    pub(super) fn collect(&mut self, call: ToolCall) {
        let input = match self.results.remove(&call.id) {
            Some(result) => Input::Result(result),
            None => Input::Deferred(call.id),
        };
        self.send_back(input);
    }
}
