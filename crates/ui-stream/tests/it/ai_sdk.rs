//! Tests of the encoder for the AI SDK.

use proptest::prelude::*;
use serde_json::Value;
use windlass_app::feed::FeedEvent;
use windlass_ui_stream::{AiSdkEncoder, AiSdkVersion, to_sse};

use crate::ai_message::Message;
use crate::feeds::{FeedWriter, drop_deltas, turns, write};

fn encode(mut encoder: AiSdkEncoder, events: &[FeedEvent]) -> Vec<Value> {
    events.iter().flat_map(|event| encoder.push(event)).collect()
}

fn v7() -> AiSdkEncoder {
    AiSdkEncoder::new("r")
}

fn types(chunks: &[Value]) -> Vec<&str> {
    chunks.iter().map(|chunk| chunk["type"].as_str().unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_late_reader_gets_the_message_of_a_live_one(
        turns in turns(),
        is_failed: bool,
        dropped in prop::collection::vec(any::<bool>(), 1..60),
    ) {
        let events = write(&turns, is_failed);
        let numbered = Message::read(&encode(v7(), &drop_deltas(&events, &[true])));
        for feed in [&events, &drop_deltas(&events, &dropped)] {
            let live = Message::read(&encode(v7(), feed));
            prop_assert_eq!(&live.parts, &numbered.parts);
            prop_assert_eq!(&live.metadata, &numbered.metadata);
            prop_assert_eq!(&live.errors, &numbered.errors);
        }
    }

    #[test]
    fn version_6_gets_no_unknown_chunk_kinds(turns in turns(), is_failed: bool) {
        let events = write(&turns, is_failed);
        let encoder = || v7().with_version(AiSdkVersion::V6);
        let live = encode(encoder(), &events);
        for kind in types(&live) {
            prop_assert!(!["reset-step", "tool-approval-response"].contains(&kind), "{}", kind);
        }
        let late = encode(encoder(), &drop_deltas(&events, &[true]));
        prop_assert_eq!(Message::read(&live).parts, Message::read(&late).parts);
    }

    #[test]
    fn a_client_that_reads_on_gets_the_rest(turns in turns(), at in 0..200_u64) {
        let events = write(&turns, false);
        let numbered = drop_deltas(&events, &[true]);
        let whole = Message::read(&encode(v7(), &numbered));
        let first: Vec<FeedEvent> = numbered.iter().filter(|event| event.seq <= at).cloned().collect();
        let mut encoder = v7();
        let mut chunks: Vec<Value> = first.iter().flat_map(|event| encoder.push(event)).collect();
        if !chunks.is_empty() && !encoder.has_ended() {
            chunks.extend(encoder.pause());
        }
        chunks.extend(encode(v7().with_client_at(at), &numbered));
        let texts = |message: &Message| -> Vec<Value> {
            message.parts.iter().filter(|part| part["type"] != "step-start").cloned().collect()
        };
        prop_assert_eq!(texts(&Message::read(&chunks)), texts(&whole));
    }
}

/// Returns the feed of two parallel calls, of which one is denied and one waits.
pub(crate) fn parallel_calls() -> FeedWriter {
    let mut feed = FeedWriter::default();
    feed.push(serde_json::json!({ "kind": "run_started", "task": "edit two files" }));
    feed.push(serde_json::json!({ "kind": "turn_started", "turn": 1 }));
    for (offset, text) in [(0, "I edit "), (7, "both.")] {
        feed.push(serde_json::json!({ "kind": "text_delta", "turn": 1, "index": 0, "offset": offset, "text": text }));
    }
    feed.push(serde_json::json!({ "kind": "text_ended", "turn": 1, "index": 0 }));
    feed.push(serde_json::json!({ "kind": "text", "turn": 1, "text": "I edit both." }));
    for call in ["c-1", "c-2"] {
        feed.push(serde_json::json!({
            "kind": "call", "turn": 1, "call": call, "tool": "edit", "arguments": { "path": call },
        }));
    }
    let tokens = FeedWriter::tokens();
    feed.push(serde_json::json!({ "kind": "turn_ended", "turn": 1, "usage": tokens, "total": tokens }));
    for call in ["c-1", "c-2"] {
        feed.decide(call, "ask");
    }
    for call in ["c-1", "c-2"] {
        feed.ask(call, "edit");
    }
    feed
}

#[test]
fn the_stream_waits_when_every_call_has_a_question() {
    let mut encoder = v7();
    let feed = parallel_calls();
    let waiting: Vec<bool> = feed
        .events
        .iter()
        .map(|event| {
            encoder.push(event);
            encoder.is_waiting()
        })
        .collect();
    assert_eq!(waiting.iter().filter(|waits| **waits).count(), 2, "{waiting:?}");
    let end = encoder.pause();
    assert_eq!(types(&end), ["finish-step", "finish"]);
    assert_eq!(end[1]["messageMetadata"]["seq"], 9);
}

#[test]
fn an_approval_survives_a_reload() {
    let mut feed = parallel_calls();
    feed.answer("c-1", "denied");
    feed.result("c-1", "denied");
    let mut encoder = v7();
    let mut chunks: Vec<Value> =
        drop_deltas(&feed.events, &[true]).iter().flat_map(|event| encoder.push(event)).collect();
    assert!(encoder.is_waiting());
    chunks.extend(encoder.pause());
    let message = Message::read(&chunks);
    let states: Vec<&str> = message.parts.iter().filter_map(|part| part["state"].as_str()).collect();
    assert_eq!(states, ["output-denied", "approval-request"]);
}

/// Returns the feed of a server that was killed while the second question was open, and of the one that resumed the run
/// with the answer; and the number of the last event that the client has.
pub(crate) fn answer_after_a_kill() -> (FeedWriter, u64) {
    let mut feed = parallel_calls();
    feed.answer("c-1", "denied");
    feed.result("c-1", "denied");
    let seq = feed.events.last().unwrap().seq;
    feed.push(serde_json::json!({ "kind": "run_resumed", "generation": 1 }));
    feed.decide("c-2", "ask");
    feed.answer("c-2", "approved");
    feed.push(serde_json::json!({ "kind": "call_running", "call": "c-2" }));
    feed.result("c-2", "ok");
    feed.push(serde_json::json!({ "kind": "text", "turn": 2, "text": "One edit was made." }));
    feed.end(&serde_json::json!({ "state": "completed", "text": "One edit was made." }));
    (feed, seq)
}

// Regression test: the response ended between a denial and the result of its call.
#[test]
fn the_stream_does_not_end_between_an_answer_and_the_result_of_its_call() {
    let mut feed = parallel_calls();
    let mut encoder = v7();
    feed.events.iter().for_each(|event| drop(encoder.push(event)));
    assert!(encoder.is_waiting());
    let before = feed.events.len();
    feed.answer("c-1", "denied");
    feed.result("c-1", "denied");
    let waiting: Vec<bool> = feed.events[before..]
        .iter()
        .map(|event| {
            encoder.push(event);
            encoder.is_waiting()
        })
        .collect();
    assert_eq!(waiting, [false, true]);
}

// Regression test: the response ended at the first event of the resumed run, because its question was still open there.
#[test]
fn the_response_to_an_answer_after_a_kill_continues_until_the_end() {
    let (feed, seq) = answer_after_a_kill();
    let read = |mut encoder: AiSdkEncoder| {
        let mut text = String::new();
        for event in &feed.events {
            text += &encoder.push_sse(event);
            if text.ends_with(windlass_ui_stream::AI_SDK_DONE) {
                break;
            }
        }
        text
    };
    let whole = read(v7().with_client_at(seq).with_answered(["q-c-2".to_owned()]));
    assert!(whole.contains("tool-output-available") && whole.contains("One edit was made."), "{whole}");
    // Another question is not answered, so the run waits at once.
    let paused = read(v7().with_client_at(seq).with_answered(["q-c-9".to_owned()]));
    assert!(!paused.contains("tool-output-available"), "{paused}");
}

#[test]
fn another_process_ends_the_stream_with_an_error() {
    let mut feed = parallel_calls();
    feed.push(serde_json::json!({ "kind": "error", "message": "the disk is full" }));
    let chunks = encode(v7(), &feed.events);
    assert_eq!(types(&chunks)[chunks.len() - 3..], ["error", "finish-step", "finish"]);
}

#[test]
fn events_of_other_runs_are_ignored() {
    assert!(encode(AiSdkEncoder::new("other"), &parallel_calls().events).is_empty());
}

#[test]
fn a_line_break_does_not_end_an_event() {
    assert_eq!(to_sse(&"a\nb".into()), "data: \"a\\nb\"\n\n");
}
