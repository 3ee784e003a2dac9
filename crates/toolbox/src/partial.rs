//! The display of a call by its tool while the arguments stream.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use windlass_tool::{GrowingArguments, Progress, ProgressSink, Tool};

use crate::toolbox::Toolbox;

/// A call whose arguments still stream, together with the tool that shows it.
///
/// The call is neither validated nor approved, and this type cannot run it (RULES H3, J1).
pub struct PartialCall {
    tool: Arc<dyn Tool>,
    arguments: GrowingArguments,
}

impl Toolbox {
    /// Begins to show a call whose arguments start to stream. Returns `None` if the tool is not offered or
    /// ignores partial arguments. Progress that the tool emits immediately goes to `listen`.
    pub fn partial_call(&self, name: &str, listen: &mut dyn FnMut(Progress)) -> Option<PartialCall> {
        let entry = self.entry(name).filter(|entry| self.availability_of(entry).is_offered())?;
        let mut call = PartialCall { tool: Arc::clone(&entry.tool), arguments: GrowingArguments::default() };
        call.push("", listen);
        call.is_watched().then_some(call)
    }
}

impl PartialCall {
    /// Passes the next chunk to the tool; emitted progress goes to `listen`. A tool that panics receives no
    /// further chunks of the call (RULES L8).
    pub fn push(&mut self, delta: &str, listen: &mut dyn FnMut(Progress)) {
        if !self.is_watched() {
            return;
        }
        self.arguments.push(delta);
        let mut show = ProgressSink::new(listen);
        let shown = catch_unwind(AssertUnwindSafe(|| self.tool.on_partial(&mut show, &mut self.arguments)));
        if shown.is_err() {
            self.arguments.ignore();
        }
    }

    /// Returns whether the tool still receives chunks of the call.
    pub fn is_watched(&self) -> bool {
        !self.arguments.is_ignored()
    }
}

impl fmt::Debug for PartialCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.tool.spec().name().as_str();
        f.debug_struct("PartialCall").field("tool", &name).finish_non_exhaustive()
    }
}
