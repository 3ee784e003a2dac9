//! The spans read each event, or leave it out on purpose.

use super::Event;

/// The events that no span has.
const LEFT_OUT: &[&str] = &[
    "mode_changed",
    "text_ended",
    "reasoning_ended",
    "call_arguments",
    "call_preview",
    "call_coerced",
    "call_repaired",
    "call_refused_early",
    "call_malformed",
    "hosted_call",
    "hosted_result",
    "call_edited",
    "answer_refused",
    "call_progress",
    "call_note",
    "hand_off",
    "approval_postponed",
    "call_deferred",
    "checkpoint",
    "checkpoint_failed",
    "turn_diff",
    "run_diff",
    "message_queued",
    "said",
    "message_repeated",
    "message_refused",
    "completion_proposed",
    "task_completed",
    "context_filling",
    "images_removed",
    "nudged",
    "hook",
    "withheld",
];

// `Event` has more variants with each version, and a `match` on it in this crate cannot be exhaustive.
#[test]
fn every_event_is_read_or_left_out_on_purpose() {
    let sources = [include_str!("../spans.rs"), include_str!("agents.rs")];
    for name in Event::NAMES {
        let words = name.split('_').map(|word| format!("{}{}", word[..1].to_uppercase(), &word[1..]));
        let variant = format!("Event::{}", words.collect::<String>());
        let is_read = sources.iter().any(|source| {
            let mut found = source.match_indices(&variant).map(|(at, _)| &source[at + variant.len()..]);
            found.any(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
        });
        assert_ne!(is_read, LEFT_OUT.contains(name), "{name}");
    }
}
