//! Adapter from a process's tool to [`Tool`].

use std::sync::Weak;

use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_tool::{Context, Inspection, Tool, ToolError, ToolFuture};

use super::keeper::Keeper;
use super::listed::ListedTool;

/// A tool of a process. It holds only a weak reference; the [`ServedProcess`](super::ServedProcess) keeps the
/// process running.
pub(crate) struct ProcessTool {
    keeper: Weak<Keeper>,
    listed: ListedTool,
    effects: Vec<Effect>,
}

impl ProcessTool {
    pub(crate) fn new(keeper: Weak<Keeper>, listed: ListedTool, effects: Vec<Effect>) -> Self {
        Self { keeper, listed, effects }
    }
}

impl Tool for ProcessTool {
    fn spec(&self) -> &ToolSpec {
        &self.listed.spec
    }

    fn hints(&self) -> Hints {
        self.listed.hints
    }

    /// The protocol does not declare effects of calls. Confinement bounds them.
    fn effects(&self, _: &Payload) -> Vec<Effect> {
        self.effects.clone()
    }

    fn inspect(&self, _: &Payload) -> Inspection {
        match self.keeper.upgrade() {
            Some(keeper) => Inspection::default().with_containment(keeper.containment()),
            None => Inspection::default(),
        }
    }

    /// Dropping the future sends a cancellation to the process.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Payload::Function { arguments } = payload else {
                return Err(ToolError::model("this tool takes a JSON object of arguments; nothing was sent"));
            };
            let Some(keeper) = self.keeper.upgrade() else {
                return Err(ToolError::model("the process of this tool is ended for good")
                    .with_advice("Continue without it."));
            };
            keeper.call(ctx, &self.listed, arguments.as_str()).await
        })
    }
}
