//! A call whose arguments still arrive, and the tool that shows it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use windlass_tool::{GrowingArguments, Progress, Showing, Tool};

use crate::toolbox::Toolbox;

/// A call whose arguments still arrive, and the tool that shows it.
///
/// Nothing of it is checked or approved, and nothing here runs it (RULES H3, J1).
pub struct PartialCall {
    tool: Arc<dyn Tool>,
    arguments: GrowingArguments,
}

impl Toolbox {
    /// The call of a tool whose arguments begin to arrive; nothing where the tool is not offered, or does not
    /// want to see it. What the tool tells at once goes to `listen`.
    pub fn partial_call(&self, name: &str, listen: &mut dyn FnMut(Progress)) -> Option<PartialCall> {
        let entry = self.entry(name).filter(|entry| self.standing_of(entry).is_offered())?;
        let mut call = PartialCall { tool: Arc::clone(&entry.tool), arguments: GrowingArguments::default() };
        call.push("", listen);
        call.is_watched().then_some(call)
    }
}

impl PartialCall {
    /// Hands the tool the text that was added; what it tells goes to `listen`. A tool that panics sees no more
    /// of the call (RULES L8).
    pub fn push(&mut self, delta: &str, listen: &mut dyn FnMut(Progress)) {
        if !self.is_watched() {
            return;
        }
        self.arguments.push(delta);
        let mut show = Showing::new(listen);
        let shown = catch_unwind(AssertUnwindSafe(|| self.tool.on_partial(&mut show, &mut self.arguments)));
        if shown.is_err() {
            self.arguments.ignore();
        }
    }

    /// Whether the tool wants to see more of the call.
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
