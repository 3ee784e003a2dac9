//! Chunks whose calls have a beginning, an id and an end, for whoever hands them on instead of running them.

use std::collections::BTreeMap;

use windlass_protocol::{Opaque, Payload, StopReason, ToolCall};
use windlass_stream::{CallChunk, CallKey, Chunk, WholeCall};

use crate::{Assembler, CallEvent, MalformedCall, MalformedReason, Options};

/// Gives every call of an answer a `Start` with an id, `Delta`s and an `End`, however its provider tells them.
///
/// For gateways: fragments by index, late ids and missing ids are resolved once, by the same rules by which an
/// [`Assembler`] resolves them, and whoever writes another format sees calls in one form only. A call that was cut
/// gets no `End`. A finish that says nothing of the calls before it says so (RULES S9): Gemini's is always `STOP`. All
/// other chunks pass as they are.
///
/// ```
/// use windlass_assemble::{Normalizer, Options};
/// use windlass_stream::{CallChunk, CallKey, Chunk};
///
/// let fragment = CallChunk::Partial {
///     index: Some(0),
///     position: 0,
///     id: Some("call_1".into()),
///     name: Some("list".into()),
///     arguments: Some("{}".into()),
///     opaque: None,
/// };
/// let (mut normalizer, mut chunks) = (Normalizer::new(Options::default()), Vec::new());
/// normalizer.push(Chunk::Call(fragment), &mut chunks);
/// let start = CallChunk::Start { key: CallKey(0), id: Some("call_1".into()), name: "list".into(), opaque: None };
/// assert_eq!(chunks[0], Chunk::Call(start));
/// assert_eq!(chunks[1], Chunk::Call(CallChunk::Delta { key: CallKey(0), arguments: "{}".into() }));
/// ```
#[derive(Debug)]
pub struct Normalizer {
    assembler: Assembler,
    events: Vec<CallEvent>,
    calls: BTreeMap<CallKey, Told>,
}

/// What was handed on of a call.
#[derive(Debug)]
enum Told {
    /// Nothing yet: its id is not known.
    Waits { name: String, arguments: String, opaque: Option<Opaque> },
    /// Its beginning, and all of its arguments so far.
    Begun,
}

impl Normalizer {
    /// A normalizer for one response. The options' turn makes the ids of calls that come without one.
    pub fn new(options: Options) -> Self {
        Self { assembler: Assembler::new(options), events: Vec::new(), calls: BTreeMap::new() }
    }

    /// Takes the next chunk and adds what is handed on to `chunks`.
    pub fn push(&mut self, chunk: Chunk, chunks: &mut Vec<Chunk>) {
        match chunk {
            Chunk::Call(piece) => {
                let opaque = match &piece {
                    CallChunk::Partial { opaque, .. }
                    | CallChunk::Start { opaque, .. }
                    | CallChunk::Whole { opaque, .. } => opaque.clone(),
                    _ => None,
                };
                self.assembler.push(Chunk::Call(piece), &mut self.events);
                self.hand_on(opaque, chunks);
            }
            // These end calls.
            Chunk::Finish { .. } | Chunk::Error { .. } => {
                self.assembler.push(chunk.clone(), &mut self.events);
                self.hand_on(None, chunks);
                chunks.push(match chunk {
                    Chunk::Finish { reason: StopReason::End, raw } if !self.calls.is_empty() => {
                        Chunk::Finish { reason: StopReason::Calls, raw }
                    }
                    chunk => chunk,
                });
            }
            other => chunks.push(other),
        }
    }

    /// Ends the response.
    pub fn finish(mut self, chunks: &mut Vec<Chunk>) {
        let mut events = std::mem::take(&mut self.events);
        let assembler = std::mem::replace(&mut self.assembler, Assembler::new(Options::default()));
        assembler.finish(&mut events);
        self.events = events;
        self.hand_on(None, chunks);
    }

    /// Hands on what the last chunk meant. `opaque` is what it carried for the call that it began.
    fn hand_on(&mut self, mut opaque: Option<Opaque>, chunks: &mut Vec<Chunk>) {
        for event in std::mem::take(&mut self.events) {
            match event {
                CallEvent::Started { key, id, name } => {
                    let (name, opaque) = (name.as_str().to_owned(), opaque.take());
                    let told = match id {
                        Some(id) => {
                            chunks.push(start(key, id.as_str(), name, opaque));
                            Told::Begun
                        }
                        None => Told::Waits { name, arguments: String::new(), opaque },
                    };
                    self.calls.insert(key, told);
                }
                CallEvent::Arguments { key, delta } => match self.calls.get_mut(&key) {
                    Some(Told::Waits { arguments, .. }) => arguments.push_str(&delta),
                    _ => chunks.push(Chunk::Call(CallChunk::Delta { key, arguments: delta })),
                },
                CallEvent::Finished { key, call, .. } => self.finished(key, call, chunks),
                CallEvent::Malformed(call) => self.malformed(&call, chunks),
                CallEvent::ArgumentComplete { .. } => {}
            }
        }
    }

    fn finished(&mut self, key: CallKey, call: ToolCall, chunks: &mut Vec<Chunk>) {
        if !matches!(call.payload, Payload::Function { .. }) {
            self.calls.insert(key, Told::Begun);
            // What a payload's name already told has no arguments to follow.
            chunks.retain(
                |chunk| !matches!(chunk, Chunk::Call(CallChunk::Start { key: begun, .. }) if *begun == key),
            );
            chunks.push(Chunk::Call(CallChunk::Whole {
                id: Some(call.id.as_str().to_owned()),
                name: call.name.as_str().to_owned(),
                body: WholeCall::Payload(call.payload),
                opaque: call.opaque,
            }));
            return;
        }
        self.begin(key, call.id.as_str(), chunks);
        chunks.push(Chunk::Call(CallChunk::End { key, arguments: None }));
    }

    fn malformed(&mut self, call: &MalformedCall, chunks: &mut Vec<Chunk>) {
        if !self.calls.contains_key(&call.key) {
            return;
        }
        self.begin(call.key, call.id.as_str(), chunks);
        // What was cut stays open; what is whole and wrong is the reader's to judge.
        if !matches!(call.reason, MalformedReason::Truncated { .. }) {
            chunks.push(Chunk::Call(CallChunk::End { key: call.key, arguments: None }));
        }
    }

    /// Tells the beginning of a call that waited for its id.
    fn begin(&mut self, key: CallKey, id: &str, chunks: &mut Vec<Chunk>) {
        let Some(Told::Waits { name, arguments, opaque }) = self.calls.insert(key, Told::Begun) else {
            return;
        };
        chunks.push(start(key, id, name, opaque));
        if !arguments.is_empty() {
            chunks.push(Chunk::Call(CallChunk::Delta { key, arguments }));
        }
    }
}

fn start(key: CallKey, id: &str, name: String, opaque: Option<Opaque>) -> Chunk {
    Chunk::Call(CallChunk::Start { key, id: Some(id.to_owned()), name, opaque })
}
