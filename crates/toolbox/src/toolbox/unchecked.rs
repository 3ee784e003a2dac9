//! Questions about calls that do not run now: their effects, and the outcome of an interrupted call.

use std::panic::{AssertUnwindSafe, catch_unwind};

use windlass_protocol::{Effect, PlannedFile, ReconcileOutcome, ToolCall};

use super::Toolbox;
use crate::route::{Route, route};

impl Toolbox {
    /// Returns the effects of a call even if its tool is hidden, for restoring a conversation. Returns `None`
    /// if the tool is unknown, does not accept the payload kind, or panics.
    pub fn effects(&self, call: &ToolCall) -> Option<Vec<Effect>> {
        let entry = self.entry(call.name.as_str())?;
        let is_exact = self.names().is_exact(call.name.as_str());
        let Route::Fits(payload) = route(entry, is_exact, &call.payload) else { return None };
        catch_unwind(AssertUnwindSafe(|| entry.tool.effects(&payload))).ok()
    }

    /// Determines whether a call that was interrupted by the end of its process took effect, even if its tool
    /// is hidden. Reads the file system like `inspect`.
    pub fn aftermath(&self, call: &ToolCall, planned: &[PlannedFile]) -> ReconcileOutcome {
        let Some(entry) = self.entry(call.name.as_str()) else { return ReconcileOutcome::Unknown };
        catch_unwind(AssertUnwindSafe(|| entry.tool.aftermath(planned))).unwrap_or_default()
    }
}
