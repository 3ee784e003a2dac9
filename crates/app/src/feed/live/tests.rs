//! The live feed reads each event, or leaves it out on purpose.

use super::Event;

/// The events that the feed takes from the record of the run, or does not have.
const LEFT_OUT: &[&str] = &[
    "hosted_call",
    "hosted_result",
    "call_taken_up",
    "call_edited",
    "hand_off",
    "message_repeated",
    "completion_proposed",
    "task_completed",
    "hook",
];

// `Event` has more variants with each version, and a `match` on it in this crate cannot be exhaustive.
#[test]
fn every_event_is_read_or_left_out_on_purpose() {
    let sources = [include_str!("../live.rs")];
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
