//! Decodes bytes into chunks of an answer, valid and invalid ones.

use windlass_protocol::StopReason;
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError, StreamErrorKind, WholeCall};

use super::pick;

const IDS: &[&str] = &["", "c1", "c2", "c3"];
const NAMES: &[&str] = &["look", "change", "done", "fly", "", "child"];
const ARGUMENTS: &[&str] = &[
    "{}",
    r#"{"a":1}"#,
    r#"{"result":"r"}"#,
    r#"{"path":"/x","content":"y"#,
    r#"","b":2}"#,
    "[1]",
    "",
    r#"{"a":1,}"#,
];

pub(super) fn chunk(kind: u8, by: u8) -> Chunk {
    let key = CallKey(u64::from(by % 3));
    let (id, name) = (pick(IDS, by), pick(NAMES, by / 4));
    let arguments = pick(ARGUMENTS, by / 8).to_owned();
    match kind {
        0 | 1 => Chunk::text(id),
        2 => Chunk::reasoning(name),
        3..=5 => Chunk::Call(CallChunk::Whole {
            id: Some(id.into()),
            name: name.into(),
            body: WholeCall::Arguments(arguments),
            opaque: None,
        }),
        6 | 7 => Chunk::Call(CallChunk::Start { key, id: Some(id.into()), name: name.into(), opaque: None }),
        8..=10 => Chunk::Call(CallChunk::Delta { key, arguments }),
        11 => Chunk::Call(CallChunk::End { key, arguments: None }),
        13 | 14 => Chunk::Call(CallChunk::Partial {
            index: by.is_multiple_of(2).then_some(u64::from(by % 3)),
            position: 0,
            id: Some(id.to_owned()).filter(|id| !id.is_empty()),
            name: Some(name.to_owned()).filter(|name| !name.is_empty()),
            arguments: Some(arguments),
            opaque: None,
        }),
        12 if by > 240 => {
            Chunk::Error { error: StreamError::new(StreamErrorKind::Overloaded, None, "overloaded") }
        }
        _ => {
            let reasons = [
                StopReason::End,
                StopReason::Calls,
                StopReason::Length,
                StopReason::Refusal,
                StopReason::Pause,
            ];
            let reason = reasons[usize::from(by) % reasons.len()].clone();
            Chunk::Finish { reason, raw: "raw".into() }
        }
    }
}
