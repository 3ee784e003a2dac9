//! Tests of the encoder for AG-UI.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_app::feed::FeedEvent;
use windlass_ui_stream::AgUiEncoder;

use crate::ag_ui_order::check;
use crate::ai_sdk::{answer_after_a_kill, parallel_calls};
use crate::feeds::{drop_deltas, turns, write};

fn encode(mut encoder: AgUiEncoder, events: &[FeedEvent]) -> Vec<Value> {
    events.iter().flat_map(|event| encoder.push(event)).collect()
}

/// Returns the texts, arguments and results by id of their message or call, without the void ones.
fn contents(events: &[Value]) -> Vec<String> {
    let mut contents: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (at, event) in events.iter().enumerate() {
        let id = event["messageId"].as_str().or(event["toolCallId"].as_str()).unwrap_or_default();
        match event["type"].as_str().unwrap() {
            "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT" | "TOOL_CALL_ARGS" => {
                let entry = contents.entry(id.to_owned()).or_insert((at, String::new()));
                entry.1 += event["delta"].as_str().unwrap();
            }
            "TOOL_CALL_RESULT" => {
                contents.insert(id.to_owned(), (at, event["content"].as_str().unwrap().to_owned()));
            }
            "CUSTOM" if event["name"] == "windlass.void" => {
                let value = &event["value"];
                for list in [&value["messageIds"], &value["toolCallIds"]] {
                    for id in list.as_array().unwrap() {
                        contents.remove(id.as_str().unwrap());
                    }
                }
            }
            "CUSTOM" if event["name"] == "windlass.arguments" => {
                let value = &event["value"];
                let call = value["toolCallId"].as_str().unwrap();
                contents.insert(call.to_owned(), (at, value["arguments"].to_string()));
            }
            _ => {}
        }
    }
    let mut contents: Vec<String> = contents.into_values().map(|(_, text)| text.replace("{ ", "{")).collect();
    contents.sort();
    contents
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_event_order_is_legal_with_any_lost_deltas(
        turns in turns(),
        is_failed: bool,
        dropped in prop::collection::vec(any::<bool>(), 1..60),
        has_drafts: bool,
    ) {
        let events = drop_deltas(&write(&turns, is_failed), &dropped);
        let encoder = AgUiEncoder::new("r");
        check(&encode(if has_drafts { encoder } else { encoder.without_drafts() }, &events));
    }

    #[test]
    fn a_late_reader_gets_the_contents_of_a_live_one(
        turns in turns(),
        dropped in prop::collection::vec(any::<bool>(), 1..60),
    ) {
        let events = write(&turns, false);
        let late = contents(&encode(AgUiEncoder::new("r"), &drop_deltas(&events, &[true])));
        prop_assert_eq!(&contents(&encode(AgUiEncoder::new("r"), &events)), &late);
        let some = drop_deltas(&events, &dropped);
        prop_assert_eq!(&contents(&encode(AgUiEncoder::new("r"), &some)), &late);
        let whole = encode(AgUiEncoder::new("r").without_drafts(), &events);
        prop_assert!(whole.iter().all(|event| event["name"] != "windlass.void"));
        prop_assert_eq!(&contents(&whole), &late);
    }

    #[test]
    fn a_pause_is_legal_at_every_event(turns in turns(), at in 1..200_usize) {
        let events = write(&turns, false);
        let mut encoder = AgUiEncoder::new("r");
        let mut list: Vec<Value> = events.iter().take(at).flat_map(|event| encoder.push(event)).collect();
        if !encoder.has_ended() {
            list.extend(encoder.pause());
        }
        check(&list);
    }
}

#[test]
fn a_suspended_run_finishes_with_interrupts_and_another_run_resumes_it() {
    let mut feed = parallel_calls();
    feed.answer("c-1", "denied");
    feed.result("c-1", "denied");
    feed.end(&json!({ "state": "suspended", "questions": ["q-c-2"], "results": [] }));
    let first = encode(AgUiEncoder::new("r").with_ids("t", "1").with_state(json!({ "a": 1 })), &feed.events);
    check(&first);
    let end = first.last().unwrap();
    assert_eq!(end["outcome"]["type"], "interrupt");
    assert_eq!(end["outcome"]["interrupts"][0]["id"], "q-c-2");
    assert_eq!(end["outcome"]["interrupts"][0]["toolCallId"], "c-2");
    let state = &first[first.len() - 2]["snapshot"];
    assert_eq!(state, &json!({ "a": 1, "windlass": { "session": "s", "run": "r", "seq": 12 } }));
    feed.push(json!({ "kind": "run_resumed", "generation": 1 }));
    feed.answer("c-2", "approved");
    feed.push(json!({ "kind": "call_running", "call": "c-2" }));
    feed.result("c-2", "ok");
    feed.end(&json!({ "state": "completed", "text": "done" }));
    let second = encode(AgUiEncoder::new("r").with_ids("t", "2").with_client_at(12), &feed.events);
    let types = check(&second);
    assert_eq!(second[0]["runId"], "2");
    assert!(types.contains(&"TOOL_CALL_RESULT") && !types.contains(&"TOOL_CALL_START"), "{types:?}");
    assert_eq!(second.last().unwrap()["outcome"]["type"], "success");
}

#[test]
fn a_cancelled_run_finishes_and_a_failed_run_errs() {
    for (outcome, kind) in [
        (json!({ "state": "stopped", "cause": "cancelled" }), "RUN_FINISHED"),
        (json!({ "state": "stopped", "cause": "budget" }), "RUN_ERROR"),
        (json!({ "state": "failed", "message": "no" }), "RUN_ERROR"),
    ] {
        let mut feed = parallel_calls();
        feed.end(&outcome);
        assert_eq!(check(&encode(AgUiEncoder::new("r"), &feed.events)).last(), Some(&kind));
    }
}

#[test]
fn a_run_does_not_wait_for_an_answer_that_was_sent() {
    let (feed, seq) = answer_after_a_kill();
    let waits = |mut encoder: AgUiEncoder| {
        feed.events.iter().any(|event| {
            encoder.push(event);
            encoder.is_waiting()
        })
    };
    let encoder = AgUiEncoder::new("r").with_client_at(seq);
    assert!(!waits(encoder.with_answered(["q-c-2".to_owned()])));
    assert!(waits(AgUiEncoder::new("r").with_client_at(seq)));
}
