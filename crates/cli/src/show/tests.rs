//! The plain output has a line for each event, or leaves it out on purpose.

use super::Event;

/// The events without a line of output.
const LEFT_OUT: &[&str] = &[
    "mode_changed",
    "call_preview",
    "hosted_result",
    "call_taken_up",
    "answer_ended",
    "call_running",
    "call_progress",
    "call_note",
    "checkpoint",
    "message_queued",
    "message_repeated",
    "completion_proposed",
    "task_completed",
    "hook",
];

// `Event` has more variants with each version, and a `match` on it in this crate cannot be exhaustive.
#[test]
fn every_event_is_read_or_left_out_on_purpose() {
    let sources = [
        include_str!("../show.rs"),
        include_str!("run.rs"),
        include_str!("calls.rs"),
        include_str!("speech.rs"),
    ];
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
