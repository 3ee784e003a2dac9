//! The order of the calls of an answer.

use super::*;

fn start(key: u64) -> Chunk {
    Chunk::Call(CallChunk::Start { key: CallKey(key), id: None, name: format!("tool{key}"), opaque: None })
}

fn delta(key: u64) -> Chunk {
    Chunk::Call(CallChunk::Delta { key: CallKey(key), arguments: key.to_string() })
}

fn end(key: u64) -> Chunk {
    Chunk::Call(CallChunk::End { key: CallKey(key), arguments: None })
}

fn text(text: &str) -> Chunk {
    Chunk::Text { text: text.to_owned() }
}

fn order(chunks: Vec<Chunk>) -> Vec<Chunk> {
    let (mut order, mut out) = (CallOrder::default(), Vec::new());
    for chunk in chunks {
        order.push(chunk, &mut out);
    }
    out
}

#[test]
fn calls_that_end_together_become_calls_in_order() {
    let mixed =
        vec![start(0), delta(0), start(1), delta(1), delta(0), start(2), text("a"), end(0), end(1), end(2)];
    let sorted =
        vec![start(0), delta(0), delta(0), end(0), start(1), delta(1), end(1), start(2), end(2), text("a")];
    assert_eq!(order(mixed), sorted);
}

#[test]
fn calls_in_order_pass_at_once() {
    let chunks = vec![text("a"), start(0), delta(0), end(0), text("b"), start(1), delta(1)];
    assert_eq!(order(chunks.clone()), chunks);
}

#[test]
fn a_call_that_ends_first_waits_for_the_one_before_it() {
    let mixed = vec![start(0), start(1), delta(1), end(1), delta(0), start(2), end(0), delta(2), end(2)];
    let sorted = vec![start(0), delta(0), end(0), start(1), delta(1), end(1), start(2), delta(2), end(2)];
    assert_eq!(order(mixed), sorted);
}

#[test]
fn an_answer_that_ends_inside_a_call_loses_nothing() {
    let finish = Chunk::Finish { reason: windlass_protocol::StopReason::Length, raw: "length".to_owned() };
    let chunks = vec![start(0), start(1), text("a"), start(2), delta(1), finish.clone()];
    let sorted = vec![start(0), start(1), delta(1), text("a"), start(2), finish];
    assert_eq!(order(chunks), sorted);
}
