//! Properties of the assembler.

use std::collections::{BTreeMap, BTreeSet};

use windlass_assemble::{
    Answer, AnswerCall, ArgumentForm, AssembleLimits, AssembleOptions, Assembler, CallEvent, CallIndex,
    Repairs,
};
use windlass_protocol::{Message, Opaque, Payload, ResultStatus, StopReason, ToolName, ToolResult, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError, StreamErrorKind, WholeCall};
use windlass_wire::check_pairing;

const IDS: &[&str] = &["", "a", "b", "call_0_0", "call_0_1", "c\n", "ü"];
const NAMES: &[&str] = &["", "read", "_file", "read_file", "write", "no\nname"];
const ARGUMENTS: &[&str] = &[
    "",
    "{",
    "}",
    "{}",
    "{\"a\":1}",
    "{\"a\":\"",
    "b\"",
    "\"{}\"",
    "null",
    "[",
    "]",
    "[[[[[",
    " ",
    ",\"a\":2",
    "\"",
    "\\",
    "\\ud83d",
];

/// Interprets the bytes as a sequence of chunks. The assembler does not panic, each call that starts ends
/// exactly once, ids are unique, and the message can be answered (RULES P1, R1, S8).
///
/// # Panics
/// The property is violated.
pub fn assemble(bytes: &[u8]) {
    check_assembly(chunks(bytes));
}

/// Assembles the chunks of one response and checks the properties of every assembly.
pub(crate) fn check_assembly(chunks: Vec<Chunk>) {
    let tools = ["read", "read_file"].map(|name| ToolName::new(name).expect("a plain name"));
    let limits = AssembleLimits { calls: 12, argument_bytes: 300, depth: 6, text_bytes: 1000 };
    let repairs = if chunks.len().is_multiple_of(2) { Repairs::Encoding } else { Repairs::All };
    let options = AssembleOptions::default().with_tools(tools).with_limits(limits).with_repairs(repairs);
    let mut assembler = Assembler::new(options);
    let mut events = Vec::new();
    for chunk in chunks {
        assembler.push(chunk, &mut events);
        if let Some(partial) = assembler.partial(CallIndex(0)) {
            // Reading the partial value must be safe at any time.
            let _ = partial.to_value();
        }
    }
    let answer = assembler.finish(&mut events);
    check_events(&events, &answer);
    check_answer(&answer);
}

fn check_events(events: &[CallEvent], answer: &Answer) {
    let mut told: BTreeMap<CallIndex, String> = BTreeMap::new();
    let mut ended = BTreeSet::new();
    for event in events {
        match event {
            CallEvent::Started { key, .. } => {
                assert!(told.insert(*key, String::new()).is_none(), "call {key:?} starts once");
            }
            CallEvent::Arguments { key, delta } => {
                assert!(!ended.contains(key), "call {key:?} grows after its end");
                told.get_mut(key).expect("a call starts before it grows").push_str(delta);
            }
            CallEvent::ArgumentComplete { key, .. } => {
                assert!(told.contains_key(key), "starts before it grows");
            }
            CallEvent::Finished { key, call, notes } => {
                assert!(ended.insert(*key), "call {key:?} ends once");
                let text = told.get(key).expect("a call starts before it is finished");
                // Payloads of other forms arrive in one piece, without earlier deltas.
                if let (ArgumentForm::Plain, Payload::Function { arguments }) = (notes.form, &call.payload) {
                    assert_eq!(text, arguments.as_str(), "the reported call is the one that runs");
                }
            }
            CallEvent::Malformed(call) => assert!(ended.insert(call.key), "call {:?} ends once", call.key),
            _ => {}
        }
    }
    assert!(told.keys().all(|key| ended.contains(key)), "what starts ends");
    assert_eq!(ended.len(), answer.calls.len(), "each call ends");
}

fn check_answer(answer: &Answer) {
    let ids: BTreeSet<_> = answer.calls.iter().map(AnswerCall::id).collect();
    assert_eq!(ids.len(), answer.calls.len(), "ids are unique");
    let Some(message) = answer.message() else { return };
    let results: Vec<ToolResult> =
        message.calls().map(|call| ToolResult::text(call.id.clone(), ResultStatus::Ok, "")).collect();
    let named = answer.calls.iter().filter(|call| match call {
        AnswerCall::Good(_) => true,
        AnswerCall::Malformed(call) => call.name.is_some(),
    });
    assert_eq!(results.len(), named.count(), "every named call is in the message");
    check_pairing(&[message, Message::results(results)]).expect("the message can be answered");
    let text = serde_json::to_string(answer).expect("an answer is JSON");
    assert_eq!(&serde_json::from_str::<Answer>(&text).expect("it reads its own JSON"), answer);
}

/// Decodes bytes into chunks, with a few bytes per chunk, so that a small mutation of the bytes is a small
/// change of the sequence.
fn chunks(bytes: &[u8]) -> Vec<Chunk> {
    let mut bytes = bytes.iter().copied();
    let mut chunks = Vec::new();
    while let Some(kind) = bytes.next() {
        let mut pick = |from: &[&str]| {
            let at = usize::from(bytes.next().unwrap_or(0)) % from.len();
            from[at].to_owned()
        };
        let key = CallKey(u64::from(kind >> 6));
        chunks.push(match kind % 12 {
            0 if kind > 180 => Chunk::TextEnd { opaque: Some(Opaque::new("test", pick(IDS).into())) },
            0 => Chunk::text(pick(IDS)),
            1 => Chunk::reasoning(pick(IDS)),
            2 => Chunk::ReasoningEnd { opaque: (kind > 99).then(|| Opaque::new("test", 1.into())) },
            3..=5 => Chunk::Call(CallChunk::Partial {
                index: (kind & 0x20 == 0).then_some(u64::from(kind >> 6)),
                position: u64::from(kind >> 7),
                id: Some(pick(IDS)),
                name: Some(pick(NAMES)),
                arguments: Some(pick(ARGUMENTS)),
                opaque: (kind & 0x10 == 0).then(|| Opaque::new("test", 2.into())),
            }),
            6 => {
                let (id, name) = (Some(pick(IDS)), pick(NAMES));
                Chunk::Call(CallChunk::Start { key, id, name, opaque: None })
            }
            7 => Chunk::Call(CallChunk::Delta { key, arguments: pick(ARGUMENTS) }),
            8 => Chunk::Call(CallChunk::End { key, arguments: (kind & 0x20 == 0).then(|| pick(ARGUMENTS)) }),
            9 => {
                let (id, name, body) = (Some(pick(IDS)), pick(NAMES), WholeCall::Arguments(pick(ARGUMENTS)));
                Chunk::Call(CallChunk::Whole { id, name, body, opaque: None })
            }
            10 => finish(kind),
            _ if kind < 200 => Chunk::Usage { usage: Usage::default() },
            _ => Chunk::Error { error: StreamError::new(StreamErrorKind::Server, None, pick(IDS)) },
        });
    }
    chunks
}

fn finish(kind: u8) -> Chunk {
    let reason = match kind >> 5 {
        0 => StopReason::Length,
        1 => StopReason::ContentFilter,
        2 => StopReason::End,
        _ => StopReason::Calls,
    };
    Chunk::Finish { reason, raw: "test".to_owned() }
}
