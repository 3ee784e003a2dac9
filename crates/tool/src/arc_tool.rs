//! A shared tool is a tool.

use std::sync::Arc;

use windlass_protocol::{Effect, Hints, Payload, PlannedFile, ReconcileOutcome, ToolSpec};

use crate::{Context, EarlyArguments, GrowingArguments, Inspection, ProgressSink, Tool, ToolFuture};

/// Forwards every method, so a function that takes a tool by value also takes an [`Arc`] of it.
impl<T: Tool + ?Sized> Tool for Arc<T> {
    fn spec(&self) -> &ToolSpec {
        (**self).spec()
    }

    fn hints(&self) -> Hints {
        (**self).hints()
    }

    fn feature(&self) -> Option<&str> {
        (**self).feature()
    }

    fn has_built_in_rules(&self) -> bool {
        (**self).has_built_in_rules()
    }

    fn is_in_presets(&self) -> bool {
        (**self).is_in_presets()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        (**self).effects(payload)
    }

    fn on_partial(&self, show: &mut ProgressSink<'_>, arguments: &mut GrowingArguments) {
        (**self).on_partial(show, arguments);
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        (**self).early_effects(complete)
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        (**self).inspect(payload)
    }

    fn aftermath(&self, planned: &[PlannedFile]) -> ReconcileOutcome {
        (**self).aftermath(planned)
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        (**self).call(ctx, payload)
    }
}
