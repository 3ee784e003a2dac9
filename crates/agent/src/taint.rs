//! The calls after which a conversation contains text from outside.

use std::sync::atomic::{AtomicBool, Ordering};

use windlass_protocol::{Effect, ToolCall};
use windlass_toolbox::Toolbox;

/// The mark of a conversation that contains text from outside. It is never removed.
#[derive(Debug, Default)]
pub(crate) struct Taint(AtomicBool);

impl Taint {
    pub(crate) fn mark(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Marks the conversation if a call with these effects can return text from outside.
    pub(crate) fn note(&self, effects: &[Effect]) {
        if brings_text_from_outside(effects) {
            self.mark();
        }
    }

    pub(crate) fn is_marked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Returns whether a call with these effects can return text from outside.
fn brings_text_from_outside(effects: &[Effect]) -> bool {
    effects
        .iter()
        .any(|effect| matches!(effect, Effect::Connect { .. } | Effect::Mcp { .. } | Effect::Spawn { .. }))
}

/// Returns whether one of the calls can have returned text from outside. Hidden tools count, because they may
/// have been offered when the call was made.
pub(crate) fn is_tainted<'a>(
    toolbox: Option<&Toolbox>,
    mut calls: impl Iterator<Item = &'a ToolCall>,
) -> bool {
    let Some(toolbox) = toolbox else { return false };
    calls.any(|call| toolbox.effects(call).is_some_and(|effects| brings_text_from_outside(&effects)))
}
