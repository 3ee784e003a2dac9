//! The forms of arguments.

use windlass_assemble::{
    ArgumentForm, AssembleLimits, AssembleOptions, CallEvent, MalformedReason, RepairKind, Repairs,
};
use windlass_protocol::{Payload, StopReason};
use windlass_stream::{CallChunk, Chunk, WholeCall};

use crate::script::{calls, check, check_with, delta, done, end, finish, fragment, run, start};

// S6
#[test]
fn the_whole_text_in_a_done_event_counts_only_where_deltas_were_missing() {
    check([start(0, "a", "read"), done(0, r#"{"x":1}"#), calls()], &[r#"a read {"x":1}"#]);
    check(
        [start(0, "a", "read"), delta(0, r#"{"x":1}"#), done(0, r#"{"x":1}"#), calls()],
        &[r#"a read {"x":1}"#],
    );
    check(
        [start(0, "a", "read"), delta(0, r#"{"x""#), done(0, r#"{"x":1}"#), calls()],
        &[r#"a read {"x":1}"#],
    );
    check(
        [start(0, "a", "read"), delta(0, r#"{"x":1}"#), done(0, r#"{"other":2}"#), calls()],
        &[r#"a read {"x":1}"#],
    );
}

#[track_caller]
fn check_form(arguments: &str, expected: &str, form: ArgumentForm, duplicate_keys: usize) {
    let (events, answer) = run(AssembleOptions::default(), [fragment(0, "a", "read", arguments), calls()]);
    let call = answer.good_calls().next().unwrap();
    assert_eq!(call.payload.text(), expected);
    let Some(CallEvent::Finished { notes, .. }) = events.last() else { panic!("not finished: {events:?}") };
    assert_eq!((notes.form, notes.duplicate_keys), (form, duplicate_keys));
}

// S1, S6, S10, J7
#[test]
fn the_form_of_arguments_is_noted() {
    check_form(r#" {"x":1} "#, r#" {"x":1} "#, ArgumentForm::Plain, 0);
    check_form("", "{}", ArgumentForm::Absent, 0);
    check_form("null", "{}", ArgumentForm::Absent, 0);
    check_form(r#""{\"x\":1}""#, r#"{"x":1}"#, ArgumentForm::Repaired, 0);
    check_form(r#""""#, "{}", ArgumentForm::Absent, 0);
    check_form(r#"{"x":1,"x":2}"#, r#"{"x":1,"x":2}"#, ArgumentForm::Plain, 1);
    check_form(
        r#"{"n":12345678901234567890123}"#,
        r#"{"n":12345678901234567890123}"#,
        ArgumentForm::Plain,
        0,
    );
}

/// Checks that the repairs turn the arguments into a text, or that the call is malformed.
#[track_caller]
fn check_repair(repairs: Repairs, arguments: &str, expected: Option<(&str, &[RepairKind])>) {
    let options = AssembleOptions::default().with_repairs(repairs);
    for split in 0..=arguments.len() {
        let (head, tail) = arguments.split_at(split);
        let pieces = [fragment(0, "a", "read", head), fragment(0, "", "", tail), calls()];
        let (events, answer) = run(options.clone(), pieces);
        let text = answer.good_calls().next().map(|call| call.payload.text());
        assert_eq!(text.as_deref(), expected.map(|(text, _)| text), "{arguments}");
        let kinds = events.iter().find_map(|event| match event {
            CallEvent::Finished { notes, .. } => Some(notes.repairs.iter().map(|repair| repair.kind)),
            _ => None,
        });
        let kinds = kinds.map(Iterator::collect::<Vec<_>>);
        assert_eq!(kinds.as_deref(), expected.map(|(_, kinds)| kinds), "{arguments}");
    }
}

// S6, J8
#[test]
fn only_enabled_repairs_are_made_and_reported() {
    use RepairKind::{DoubleEncoding, MissingBracket, TrailingComma, TrailingText};
    check_repair(Repairs::Encoding, r#""{\"x\":1}""#, Some((r#"{"x":1}"#, &[DoubleEncoding])));
    check_repair(Repairs::Encoding, r#""{\"x\":1,}""#, None);
    check_repair(Repairs::Encoding, r#"{"x":[1,]}"#, None);
    check_repair(Repairs::All, r#"{"x":[1,]}"#, Some((r#"{"x":[1]}"#, &[TrailingComma])));
    check_repair(Repairs::All, r#"{"x":"y""#, Some((r#"{"x":"y"}"#, &[MissingBracket])));
    check_repair(Repairs::All, r#"{"x":1}}"#, Some((r#"{"x":1}"#, &[TrailingText])));
    check_repair(Repairs::All, r#"{"x":"y"#, None);
    check_repair(Repairs::All, "[1,]", None);
}

// S10, J8
#[test]
fn cut_off_arguments_are_not_repaired() {
    let options = AssembleOptions::default().with_repairs(Repairs::All);
    for reason in [StopReason::Length, StopReason::ContentFilter, StopReason::Error] {
        let (_, answer) = run(options.clone(), [fragment(0, "a", "read", r#"{"x":"y""#), finish(reason)]);
        assert_eq!(answer.good_calls().count(), 0);
    }
    let (_, answer) = run(options, [fragment(0, "a", "read", r#"{"x":"y""#)]);
    assert_eq!(answer.good_calls().count(), 0);
}

#[test]
fn non_object_arguments_are_malformed() {
    check(
        [fragment(0, "a", "read", "[1]"), calls()],
        &["a read ! the arguments are an array, expected a JSON object: [1]"],
    );
    check(
        [fragment(0, "a", "read", "7"), calls()],
        &["a read ! the arguments are a number, expected a JSON object: 7"],
    );
    check(
        [fragment(0, "a", "read", r#""words""#), calls()],
        &[r#"a read ! the arguments are a string, expected a JSON object: "words""#],
    );
}

// J6
#[test]
fn invalid_json_arguments_report_the_offset() {
    let (_, answer) = run(AssembleOptions::default(), [fragment(0, "a", "read", r#"{"x":1}}"#), calls()]);
    let reason = &answer.iter_malformed().next().unwrap().reason;
    assert!(matches!(reason, MalformedReason::InvalidJson { at: 7, .. }), "{reason:?}");
    let (_, answer) = run(AssembleOptions::default(), [fragment(0, "a", "read", r#"{"x":"#), calls()]);
    assert!(matches!(answer.iter_malformed().next().unwrap().reason, MalformedReason::InvalidJson { .. }));
}

#[test]
fn arguments_of_too_many_values_are_malformed() {
    let text = format!(r#"{{"a":[{}1]}}"#, "1,".repeat(200_000));
    let (_, answer) = run(AssembleOptions::default(), [fragment(0, "a", "read", &text), calls()]);
    let reason = &answer.iter_malformed().next().unwrap().reason;
    assert_eq!(reason, &MalformedReason::TooManyValues { limit: 100_000 });
}

// S16
#[test]
fn arguments_nested_too_deeply_are_malformed() {
    let deep = |levels: usize| format!("{}{}{}", r#"{"a":"#.repeat(levels), 1, "}".repeat(levels));
    let (_, answer) = run(AssembleOptions::default(), [fragment(0, "a", "read", &deep(100)), calls()]);
    assert_eq!(answer.good_calls().count(), 1);
    for levels in [128, 200, 100_000] {
        let (_, answer) = run(AssembleOptions::default(), [fragment(0, "a", "read", &deep(levels)), calls()]);
        let reason = &answer.iter_malformed().next().unwrap().reason;
        assert_eq!(reason, &MalformedReason::TooDeep { limit: 128 }, "{levels} levels");
    }
    let (_, answer) =
        run(AssembleOptions::default(), [fragment(0, "a", "read", &"[".repeat(1_000_000)), calls()]);
    assert_eq!(answer.iter_malformed().next().unwrap().reason, MalformedReason::TooDeep { limit: 128 });
    let text = serde_json::to_string(&deep(5000)).unwrap();
    let (_, answer) = run(AssembleOptions::default(), [fragment(0, "a", "read", &text), calls()]);
    assert_eq!(answer.good_calls().count(), 0);
}

// S16
#[test]
fn arguments_over_the_limit_of_bytes_are_malformed() {
    let options = AssembleOptions::default()
        .with_limits(AssembleLimits { argument_bytes: 8, ..AssembleLimits::default() });
    check_with(
        options,
        [fragment(0, "a", "read", r#"{"x":"#), fragment(0, "", "", r#""long"}"#), calls()],
        &[r#"a read ! the arguments have more than 8 bytes: {"x":"#],
    );
}

// S7
#[test]
fn a_whole_call_is_finished_at_once() {
    let whole = |arguments: &str| {
        let body = WholeCall::Arguments(arguments.to_owned());
        Chunk::Call(CallChunk::Whole { id: None, name: "read".into(), body, opaque: None })
    };
    let (events, _) = run(AssembleOptions::default(), [whole(r#"{"x":1}"#)]);
    assert!(matches!(events.last(), Some(CallEvent::Finished { .. })), "{events:?}");
    check([whole(""), whole(r#"{"x":1}"#), calls()], &["call_7_0 read {}", r#"call_7_1 read {"x":1}"#]);
}

#[test]
fn a_payload_of_another_form_passes_untouched() {
    let payload = Payload::Custom { input: "*** Begin Patch".into() };
    let body = WholeCall::Payload(payload.clone());
    let chunk =
        Chunk::Call(CallChunk::Whole { id: Some("a".into()), name: "patch".into(), body, opaque: None });
    let (_, answer) = run(AssembleOptions::default(), [chunk, finish(StopReason::Calls)]);
    assert_eq!(answer.good_calls().next().unwrap().payload, payload);
}

#[test]
fn a_marked_end_of_whole_arguments_finishes_before_the_answer_does() {
    let (events, _) = run(AssembleOptions::default(), [start(0, "a", "read"), delta(0, "{}"), end(0)]);
    assert!(matches!(events.last(), Some(CallEvent::Finished { .. })), "{events:?}");
}
