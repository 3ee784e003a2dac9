//! A call ends once, and never as complete if it was cut.

use windlass_assemble::{AssembleOptions, CallEvent, Ending};
use windlass_protocol::{ResultStatus, StopReason};
use windlass_stream::Chunk;

use crate::script::{calls, check, delta, end, failure, finish, fragment, lines, run, start};

/// The text of arguments that end in the middle of a string.
const CUT: &str = r#"{"path":"a"#;

#[track_caller]
fn check_cut(last: Vec<Chunk>, arguments: &str, ending: Ending) {
    let words = match ending {
        Ending::Length => "the answer reached its token limit inside the arguments",
        Ending::Dropped => "the stream ended inside the arguments",
        Ending::Error => "the provider failed inside the arguments",
        Ending::Complete => panic!("not cut"),
    };
    let expected = [format!("a read ! {words}: {arguments}")];
    let mut unmarked = vec![fragment(0, "a", "read", ""), fragment(0, "", "", arguments)];
    unmarked.extend(last.clone());
    let mut marked = vec![start(0, "a", "read"), delta(0, arguments)];
    marked.extend(last);
    for chunks in [unmarked, marked] {
        let (_, answer) = run(AssembleOptions::default(), chunks);
        assert_eq!(lines(&answer), expected);
        assert_eq!(answer.ending, ending);
        assert_eq!(answer.iter_malformed().next().unwrap().status(), ResultStatus::TruncatedArguments);
    }
}

// S8, S10
#[test]
fn a_cut_call_is_never_finished() {
    for arguments in [CUT, "", "{}", r#"{"path":"a"}"#] {
        check_cut(vec![finish(StopReason::Length)], arguments, Ending::Length);
        check_cut(vec![], arguments, Ending::Dropped);
        check_cut(vec![failure()], arguments, Ending::Error);
        check_cut(vec![finish(StopReason::Error)], arguments, Ending::Error);
        check_cut(vec![finish(StopReason::ContentFilter)], arguments, Ending::Error);
        check_cut(vec![finish(StopReason::Refusal)], arguments, Ending::Error);
    }
}

// S10: Anthropic marks the end of a block that the token limit has cut.
#[test]
fn a_marked_end_does_not_make_a_cut_call_whole() {
    let length = || finish(StopReason::Length);
    let words = "the answer reached its token limit inside the arguments";
    check([start(0, "a", "read"), delta(0, CUT), end(0), length()], &[&format!("a read ! {words}: {CUT}")]);
    check([start(0, "a", "read"), end(0), length()], &[&format!("a read ! {words}: ")]);
    check([start(0, "a", "read"), delta(0, "{}"), end(0), length()], &["a read {}"]);
}

// S10
#[test]
fn no_arguments_are_an_empty_object_where_the_answer_ended_properly() {
    check([start(0, "a", "read"), end(0), calls()], &["a read {}"]);
    check([fragment(0, "a", "read", ""), calls()], &["a read {}"]);
    check([fragment(0, "a", "read", ""), finish(StopReason::End)], &["a read {}"]);
    check([start(0, "a", "read"), end(0)], &["a read ! the stream ended inside the arguments: "]);
}

// S10: if a provider marks the ends of calls, a call without such a mark is incomplete.
#[test]
fn an_unmarked_call_without_arguments_is_not_an_empty_object() {
    check([start(0, "a", "read"), calls()], &["a read ! the stream ended inside the arguments: "]);
    check([start(0, "a", "read"), delta(0, "{}"), calls()], &["a read {}"]);
}

// S10
#[test]
fn the_token_limit_cuts_the_last_call_only() {
    check(
        [fragment(0, "a", "read", "{}"), fragment(1, "b", "read", CUT), finish(StopReason::Length)],
        &["a read {}", &format!("b read ! the answer reached its token limit inside the arguments: {CUT}")],
    );
}

// S9
#[test]
fn stop_with_calls_is_calls() {
    let (_, answer) =
        run(AssembleOptions::default(), [fragment(0, "a", "read", "{}"), finish(StopReason::End)]);
    assert_eq!(answer.good_calls().count(), 1);
    assert_eq!(answer.stop, Some(StopReason::End));
    assert_eq!(answer.raw_stop.as_deref(), Some("raw"));
}

// S8
#[test]
fn a_second_finish_and_late_fragments_change_nothing() {
    let (events, answer) = run(
        AssembleOptions::default(),
        [
            fragment(0, "a", "read", "{}"),
            calls(),
            calls(),
            fragment(0, "", "", "more"),
            fragment(0, "a", "read", "more"),
            delta(0, "x"),
        ],
    );
    let ends = events
        .iter()
        .filter(|event| matches!(event, CallEvent::Finished { call, .. } if call.id.as_str() == "a"));
    assert_eq!(ends.count(), 1);
    assert_eq!(lines(&answer)[0], "a read {}");
}

// S8
#[test]
fn a_call_after_a_finish_opens_the_answer_again() {
    let first = [start(0, "a", "read"), end(0), calls()];
    let chunks = first.into_iter().chain([start(1, "b", "read"), delta(1, CUT)]);
    let (_, answer) = run(AssembleOptions::default(), chunks);
    assert_eq!(answer.ending, Ending::Dropped);
    assert_eq!(lines(&answer)[0], "a read {}");
    assert!(lines(&answer)[1].contains("ended inside"));
}

// S12
#[test]
fn an_error_surfaces_at_once() {
    let (events, answer) =
        run(AssembleOptions::default(), [fragment(0, "a", "read", CUT), failure(), calls()]);
    assert!(matches!(events.last(), Some(CallEvent::Malformed(_))));
    assert_eq!(answer.error.unwrap().message, "it broke");
}

// S10: vLLM and SGLang send `abort`, which no list of finish reasons has.
#[test]
fn an_unknown_stop_reason_does_not_complete_incomplete_arguments() {
    let abort = || finish(StopReason::Unknown("abort".into()));
    let words = "the stream ended inside the arguments";
    for arguments in ["", "null", "\"\"", " ", CUT] {
        let expected = format!("a read ! {words}: {arguments}");
        check([fragment(0, "a", "read", arguments), abort()], &[&expected]);
    }
    // The end of the call itself was marked, so that nothing was to come.
    for arguments in ["", " ", CUT] {
        let expected = format!("a read ! {words}: {arguments}");
        check([start(0, "a", "read"), delta(0, arguments), end(0), abort()], &[&expected]);
    }
    check([fragment(0, "a", "read", "{}"), abort()], &["a read {}"]);
}

// S10, S12: after an unknown reason, an answer of text alone may be incomplete.
#[test]
fn an_unknown_reason_ends_an_answer_properly_only_with_whole_calls() {
    let abort = || finish(StopReason::Unknown("abort".into()));
    let ending = |chunks: Vec<Chunk>| run(AssembleOptions::default(), chunks).1.ending;
    assert_eq!(ending(vec![Chunk::text("I will now edit the fi"), abort()]), Ending::Dropped);
    assert_eq!(ending(vec![fragment(0, "a", "read", "{}"), abort()]), Ending::Complete);
    let with_cut = vec![fragment(0, "a", "read", "{}"), fragment(1, "b", "read", CUT), abort()];
    assert_eq!(ending(with_cut), Ending::Dropped);
}
