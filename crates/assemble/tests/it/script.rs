//! Helpers that write chunks and describe the resulting calls.

use windlass_assemble::{Answer, AnswerCall, AssembleOptions, Assembler, CallEvent};
use windlass_protocol::{StopReason, ToolName};
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError, StreamErrorKind};

/// A fragment; an index below zero is missing.
pub(crate) fn fragment(index: i64, id: &str, name: &str, arguments: &str) -> Chunk {
    placed(index, 0, id, name, arguments)
}

pub(crate) fn placed(index: i64, position: u64, id: &str, name: &str, arguments: &str) -> Chunk {
    Chunk::Call(CallChunk::Partial {
        index: u64::try_from(index).ok(),
        position,
        id: Some(id.to_owned()),
        name: Some(name.to_owned()),
        arguments: Some(arguments.to_owned()),
        opaque: None,
    })
}

pub(crate) fn start(key: u64, id: &str, name: &str) -> Chunk {
    Chunk::Call(CallChunk::Start { key: CallKey(key), id: Some(id.into()), name: name.into(), opaque: None })
}

pub(crate) fn delta(key: u64, arguments: &str) -> Chunk {
    Chunk::Call(CallChunk::Delta { key: CallKey(key), arguments: arguments.into() })
}

pub(crate) fn end(key: u64) -> Chunk {
    Chunk::Call(CallChunk::End { key: CallKey(key), arguments: None })
}

pub(crate) fn done(key: u64, arguments: &str) -> Chunk {
    Chunk::Call(CallChunk::End { key: CallKey(key), arguments: Some(arguments.into()) })
}

pub(crate) fn finish(reason: StopReason) -> Chunk {
    Chunk::Finish { reason, raw: "raw".to_owned() }
}

pub(crate) fn calls() -> Chunk {
    finish(StopReason::Calls)
}

pub(crate) fn failure() -> Chunk {
    Chunk::Error { error: StreamError::new(StreamErrorKind::Server, None, "it broke") }
}

pub(crate) fn tools(names: &[&str]) -> AssembleOptions {
    AssembleOptions::default().with_turn(7).with_tools(names.iter().map(|name| ToolName::new(*name).unwrap()))
}

pub(crate) fn run(
    options: AssembleOptions,
    chunks: impl IntoIterator<Item = Chunk>,
) -> (Vec<CallEvent>, Answer) {
    let mut assembler = Assembler::new(options);
    let mut events = Vec::new();
    for chunk in chunks {
        assembler.push(chunk, &mut events);
    }
    let answer = assembler.finish(&mut events);
    (events, answer)
}

/// One line for each call: `id name arguments`, or `id name ! reason: text`.
pub(crate) fn lines(answer: &Answer) -> Vec<String> {
    let line = |call: &AnswerCall| match call {
        AnswerCall::Good(call) => format!("{} {} {}", call.id, call.name, call.payload.text()),
        AnswerCall::Malformed(call) => {
            let name = call.name.as_ref().map_or("-", ToolName::as_str);
            format!("{} {name} ! {}: {}", call.id, call.reason, call.text)
        }
    };
    answer.calls.iter().map(line).collect()
}

#[track_caller]
pub(crate) fn check(chunks: impl IntoIterator<Item = Chunk>, expected: &[&str]) {
    check_with(AssembleOptions::default().with_turn(7), chunks, expected);
}

#[track_caller]
pub(crate) fn check_with(
    options: AssembleOptions,
    chunks: impl IntoIterator<Item = Chunk>,
    expected: &[&str],
) {
    let (_, answer) = run(options, chunks);
    assert_eq!(lines(&answer), expected);
}
