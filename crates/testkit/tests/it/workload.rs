//! The workloads are JSON and streams of the promised shape, and always the same.

use serde_json::Value;
use windlass_assemble::{AssembleOptions, Assembler};
use windlass_testkit::split::{Cut, deltas};
use windlass_testkit::workload;
use windlass_wire::{Wire, WireLimits};
use windlass_wire_anthropic::Anthropic;
use windlass_wire_openai_chat::OpenAiChat;

#[track_caller]
fn check_file(text: &str, bytes: usize, escapes_every: std::ops::Range<usize>) {
    let value: Value = serde_json::from_str(text).unwrap();
    assert!(value["content"].as_str().unwrap().len() > bytes / 2);
    assert!(text.len().abs_diff(bytes) < 500, "{} bytes", text.len());
    let every = text.len() / text.matches('\\').count();
    assert!(escapes_every.contains(&every), "an escape every {every} bytes");
}

#[test]
fn written_files_have_their_size_and_their_escapes() {
    check_file(&workload::w1(10_000), 10_000, 12..30);
    check_file(&workload::w1u(10_000), 10_000, 20..50);
    check_file(&workload::w1p(10_000), 10_000, 380..450);
}

#[test]
fn edits_and_nesting_are_json() {
    let edits: Value = serde_json::from_str(&workload::w2()).unwrap();
    assert_eq!(edits["edits"].as_array().unwrap().len(), 200);
    assert!(serde_json::from_str::<Value>(&workload::w3()).is_ok());
}

#[test]
fn streams_have_events_of_their_size() {
    for (stream, size) in [(workload::w5_openai(100_000), 375), (workload::w5_anthropic(100_000), 146)] {
        let mut events = 0usize;
        windlass_sse::Parser::new().push(&stream, |_| events += 1).unwrap();
        let each = stream.len() / events;
        assert!(each.abs_diff(size) < 20, "{each} bytes an event, {size} wanted");
    }
}

#[track_caller]
fn check_calls(wire: &dyn Wire, stream: &[u8]) {
    let mut decoder = wire.decoder(WireLimits::default());
    let (mut chunks, mut events) = (Vec::new(), Vec::new());
    decoder.push(stream, &mut chunks).unwrap();
    decoder.finish(&mut chunks).unwrap();
    let mut assembler = Assembler::new(AssembleOptions::default());
    for chunk in chunks {
        assembler.push(chunk, &mut events);
    }
    let answer = assembler.finish(&mut events);
    assert!(answer.good_calls().count() >= 2);
    assert_eq!(answer.iter_malformed().count(), 0);
}

#[test]
fn streams_are_whole_answers() {
    check_calls(&OpenAiChat::default(), &workload::w5_openai(200_000));
    check_calls(&Anthropic::default(), &workload::w5_anthropic(100_000));
}

#[test]
fn written_calls_are_json_between_their_tags() {
    let text = workload::text_calls(10_000);
    let calls: Vec<&str> = text.split("<tool_call>").skip(1).collect();
    assert!(calls.len() >= 4);
    for call in calls {
        let (call, _) = call.split_once("</tool_call>").unwrap();
        let call: Value = serde_json::from_str(call).unwrap();
        assert!(call["arguments"]["content"].is_string());
    }
}

#[test]
fn generated_prose_has_call_like_text_but_no_call() {
    let prose = workload::prose(10_000);
    assert!(!prose.contains("<tool_call>"));
    let every = prose.len() / prose.matches(['<', '{', '`']).count();
    assert!((100..500).contains(&every), "a look-alike every {every} bytes");
}

#[test]
fn generation_is_deterministic() {
    let text = workload::w1(5_000);
    assert_eq!(text, workload::w1(5_000));
    assert_eq!(deltas(&text, Cut::Sixteen, 9), deltas(&text, Cut::Sixteen, 9));
    assert_eq!(deltas(&text, Cut::Ragged, 9).concat(), text);
}
