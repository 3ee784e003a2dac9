//! The live feed reads each event, or leaves it out on purpose.

use serde_json::{Value, json};
use windlass_protocol::{CallId, HostedCall, HostedResult, ToolProtocol};

use super::{Event, FeedKind, LiveReader};

/// The events that the feed takes from the record of the run, or does not have.
const LEFT_OUT: &[&str] = &[
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

/// A search that the provider ran, and that failed.
fn search() -> [Event; 2] {
    let call = HostedCall::new("s1", "search", json!({"query": "x"})).with_server(Some("docs".to_owned()));
    let failed = HostedResult::new("s1", "search", json!({"secret": "kept out"}));
    [
        Event::HostedCall { call },
        Event::HostedResult { result: failed.with_error(Some("unavailable".to_owned())) },
    ]
}

// Regression test: no front end showed the calls that a provider ran.
#[test]
fn a_call_of_the_provider_is_numbered_with_its_state_and_without_its_content() {
    let expected = [
        json!({"kind": "hosted_call", "turn": 3, "call": "s1", "tool": "search", "server": "docs",
            "arguments": {"query": "x"}}),
        json!({"kind": "hosted_result", "turn": 3, "call": "s1", "tool": "search", "error": "unavailable"}),
    ];
    let started = Event::TurnStarted { turn: 3, protocol: ToolProtocol::Native };
    let read = |wrap: &dyn Fn(&Event) -> Event| -> Vec<Value> {
        let mut reader = LiveReader::default();
        reader.read(&wrap(&started), 3);
        let events = search().map(|event| reader.read(&wrap(&event), 3));
        let kinds: Vec<FeedKind> = events.into_iter().flatten().map(|event| event.kind).collect();
        assert!(kinds.iter().all(FeedKind::is_numbered));
        kinds.iter().map(|kind| serde_json::to_value(kind).unwrap()).collect()
    };
    assert_eq!(read(&Event::clone), expected);
    // A call of a sub-agent.
    let below = |event: &Event| Event::AgentEvent {
        call: CallId::new("c1").unwrap(),
        agents: vec!["reader".to_owned()],
        happened: serde_json::to_value(event).unwrap(),
    };
    assert_eq!(read(&below), expected);
}
