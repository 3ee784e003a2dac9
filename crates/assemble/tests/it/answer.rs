//! The whole answer.

use serde_json::json;
use windlass_assemble::{AssembleLimits, AssembleOptions, Ending};
use windlass_protocol::{Opaque, Part, Unknown, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk};

use crate::script::{calls, delta, end, fragment, run, start};

/// Returns a short text for each part.
fn parts(chunks: impl IntoIterator<Item = Chunk>) -> Vec<String> {
    let (_, answer) = run(AssembleOptions::default(), chunks);
    let word = |part: &Part| match part {
        Part::Text(text) => format!("text {}", text.text),
        Part::Reasoning(thoughts) => {
            format!(
                "thoughts {} {}",
                thoughts.text,
                thoughts.opaque.as_ref().map_or(json!(null), |o| o.value.clone())
            )
        }
        Part::Call(call) => format!("call {} {}", call.name, call.payload.text()),
        Part::Unknown(unknown) => format!("unknown {}", unknown.value),
        other => format!("{other:?}"),
    };
    answer.parts.iter().map(word).collect()
}

fn signed(value: i32) -> Chunk {
    Chunk::ReasoningEnd { opaque: Some(Opaque::new("test", json!(value))) }
}

// P4
#[test]
fn parts_keep_the_order_in_which_they_were_written() {
    let met = parts([
        Chunk::reasoning("I think"),
        Chunk::reasoning("."),
        signed(1),
        signed(2),
        Chunk::text("I "),
        Chunk::text("look."),
        Chunk::text(""),
        start(0, "a", "read"),
        delta(0, "{}"),
        Chunk::text("And "),
        end(0),
        Chunk::text("so."),
        Chunk::Unknown(Unknown::new("test", json!("odd"))),
        Chunk::text("on"),
        calls(),
    ]);
    let expected = [
        "thoughts I think. 1",
        "thoughts  2",
        "text I look.",
        "call read {}",
        "text And so.",
        "unknown \"odd\"",
        "text on",
    ];
    assert_eq!(met, expected);
}

// P4
#[test]
fn reasoning_ends_where_text_begins() {
    let met = parts([
        Chunk::reasoning("a"),
        Chunk::text("b"),
        Chunk::reasoning("c"),
        Chunk::ReasoningEnd { opaque: None },
        Chunk::reasoning("d"),
        calls(),
    ]);
    assert_eq!(met, ["thoughts a null", "text b", "thoughts c null", "thoughts d null"]);
    assert_eq!(parts([Chunk::ReasoningEnd { opaque: None }]), Vec::<String>::new());
}

// P2
#[test]
fn ended_text_is_a_separate_part() {
    let signed = |value| Chunk::TextEnd { opaque: Some(Opaque::new("test", json!(value))) };
    let chunks = [
        Chunk::text("a"),
        Chunk::text("b"),
        Chunk::TextEnd { opaque: None },
        Chunk::text("c"),
        signed(1),
        Chunk::text("d"),
        start(0, "x", "read"),
        end(0),
        signed(2),
        signed(3),
        Chunk::TextEnd { opaque: None },
        calls(),
    ];
    let (_, answer) = run(AssembleOptions::default(), chunks);
    let words = |part: &Part| match part {
        Part::Text(text) => json!([text.text, text.opaque.as_ref().map(|opaque| &opaque.value)]),
        _ => json!("call"),
    };
    let met: Vec<_> = answer.parts.iter().map(words).collect();
    let expected = [
        json!(["ab", null]),
        json!(["c", 1]),
        json!(["d", null]),
        json!("call"),
        json!(["", 2]),
        json!(["", 3]),
    ];
    assert_eq!(met, expected);
}

// R1: a message must contain each call that gets an error as its result.
#[test]
fn a_malformed_call_is_kept_with_empty_arguments() {
    let met = parts([
        fragment(0, "a", "read", "{broken"),
        fragment(1, "b", "", "{}"),
        fragment(2, "c", "write", "{}"),
        calls(),
    ]);
    assert_eq!(met, ["call read {}", "call write {}"]);
}

// P2
#[test]
fn fields_of_the_provider_travel_with_the_call() {
    let opaque = Some(Opaque::new("test", json!("signature")));
    let begin = CallChunk::Start { key: CallKey(0), id: None, name: "read".into(), opaque: opaque.clone() };
    let (_, answer) = run(AssembleOptions::default(), [Chunk::Call(begin), delta(0, "{}"), calls()]);
    assert_eq!(answer.good_calls().next().unwrap().opaque, opaque);
}

// S15, R7
#[test]
fn usage_may_follow_the_finish_and_an_empty_answer_has_no_message() {
    let usage = Usage { input_tokens: 3, ..Usage::default() };
    let (_, answer) = run(AssembleOptions::default(), [calls(), Chunk::Usage { usage }]);
    assert_eq!((answer.usage, answer.ending), (usage, Ending::Complete));
    assert!(answer.message().is_none());
    let signature = Chunk::TextEnd { opaque: Some(Opaque::new("test", json!(1))) };
    let (_, answer) = run(AssembleOptions::default(), [signature, calls()]);
    assert!(answer.message().is_none() && answer.is_empty());
    let (_, answer) = run(AssembleOptions::default(), []);
    assert_eq!((answer.ending, answer.stop), (Ending::Dropped, None));
}

// S16
#[test]
fn text_beyond_the_limit_is_an_error() {
    let (_, answer) = run(options_of(4), [Chunk::text("1234"), Chunk::reasoning("5"), calls()]);
    assert_eq!(answer.text(), "1234");
    assert!(answer.error.unwrap().message.contains("4 bytes"));
    let pieces = [Chunk::text("12"), Chunk::text("345"), Chunk::text("6"), calls()];
    let (_, answer) = run(options_of(4), pieces);
    assert_eq!(answer.text(), "12", "nothing follows a gap");
}

fn options_of(text_bytes: usize) -> AssembleOptions {
    AssembleOptions::default().with_limits(AssembleLimits { text_bytes, ..AssembleLimits::default() })
}
