//! Normalization of calls for gateways, which forward calls instead of running them.

use std::collections::BTreeMap;

use windlass_protocol::{Opaque, Payload, StopReason, ToolCall};
use windlass_stream::{CallChunk, Chunk, WholeCall};

use crate::{AssembleOptions, Assembler, CallEvent, CallIndex, MalformedCall, MalformedReason};

/// Converts every call of an answer into a `Start` with an id, `Delta`s and an `End`, independent of the
/// provider's form.
///
/// For gateways: fragments by index, late ids and missing ids are resolved in one place, by the same rules as
/// in an [`Assembler`], so an encoder for another format handles only one form of calls. A truncated call has
/// no `End`. A stop reason `End` after calls becomes `Calls` (RULES S9), because Gemini always sends `STOP`.
/// All other chunks are forwarded unchanged.
///
/// ```
/// use windlass_assemble::{Normalizer, AssembleOptions};
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
/// let (mut normalizer, mut chunks) = (Normalizer::new(AssembleOptions::default()), Vec::new());
/// normalizer.push(Chunk::Call(fragment), &mut chunks);
/// let start = CallChunk::Start { key: CallKey(0), id: Some("call_1".into()), name: "list".into(), opaque: None };
/// assert_eq!(chunks[0], Chunk::Call(start));
/// assert_eq!(chunks[1], Chunk::Call(CallChunk::Delta { key: CallKey(0), arguments: "{}".into() }));
/// ```
#[derive(Debug)]
pub struct Normalizer {
    assembler: Assembler,
    events: Vec<CallEvent>,
    calls: BTreeMap<CallIndex, ForwardState>,
}

/// The forwarding state of a call.
#[derive(Debug)]
enum ForwardState {
    /// Not forwarded yet, because the id is not known.
    Waits { name: String, arguments: String, opaque: Option<Opaque> },
    /// The start and all received arguments have been forwarded.
    Begun,
}

impl Normalizer {
    /// Creates a normalizer for one response. The turn in the options is part of synthesized ids.
    pub fn new(options: AssembleOptions) -> Self {
        Self { assembler: Assembler::new(options), events: Vec::new(), calls: BTreeMap::new() }
    }

    /// Processes the next chunk and appends the normalized chunks to `chunks`.
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
            // These chunks end open calls.
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

    /// Ends the response and appends the remaining chunks.
    pub fn finish(mut self, chunks: &mut Vec<Chunk>) {
        let mut events = std::mem::take(&mut self.events);
        let assembler = std::mem::replace(&mut self.assembler, Assembler::new(AssembleOptions::default()));
        assembler.finish(&mut events);
        self.events = events;
        self.hand_on(None, chunks);
    }

    /// Forwards the events of the last chunk. `opaque` contains the provider's fields of the call that the
    /// chunk began.
    fn hand_on(&mut self, mut opaque: Option<Opaque>, chunks: &mut Vec<Chunk>) {
        let own = chunks.len();
        for event in std::mem::take(&mut self.events) {
            match event {
                CallEvent::Started { key, id, name } => {
                    let (name, opaque) = (name.as_str().to_owned(), opaque.take());
                    let told = match id {
                        Some(id) => {
                            chunks.push(start(key, id.as_str(), name, opaque));
                            ForwardState::Begun
                        }
                        None => ForwardState::Waits { name, arguments: String::new(), opaque },
                    };
                    self.calls.insert(key, told);
                }
                CallEvent::Arguments { key, delta } => match self.calls.get_mut(&key) {
                    Some(ForwardState::Waits { arguments, .. }) => arguments.push_str(&delta),
                    _ => chunks.push(Chunk::Call(CallChunk::Delta { key: key.into(), arguments: delta })),
                },
                CallEvent::Finished { key, call, .. } => self.forward_finished(key, call, chunks, own),
                CallEvent::Malformed(call) => self.forward_malformed(&call, chunks),
                CallEvent::ArgumentComplete { .. } => {}
            }
        }
    }

    /// `own` is the length of `chunks` before the current chunk; the chunks before that index belong to the
    /// caller.
    fn forward_finished(&mut self, key: CallIndex, call: ToolCall, chunks: &mut Vec<Chunk>, own: usize) {
        if !matches!(call.payload, Payload::Function { .. }) {
            self.calls.insert(key, ForwardState::Begun);
            // Replace the `Start` that was emitted for the name: a payload is forwarded as one `Whole` chunk.
            let is_start = |chunk: &Chunk| matches!(chunk, Chunk::Call(CallChunk::Start { key: begun, .. }) if *begun == key.into());
            if let Some(at) = chunks.iter().skip(own).position(is_start) {
                chunks.remove(own.saturating_add(at));
            }
            chunks.push(Chunk::Call(CallChunk::Whole {
                id: Some(call.id.as_str().to_owned()),
                name: call.name.as_str().to_owned(),
                body: WholeCall::Payload(call.payload),
                opaque: call.opaque,
            }));
            return;
        }
        self.begin(key, call.id.as_str(), chunks);
        chunks.push(Chunk::Call(CallChunk::End { key: key.into(), arguments: None }));
    }

    fn forward_malformed(&mut self, call: &MalformedCall, chunks: &mut Vec<Chunk>) {
        if !self.calls.contains_key(&call.key) {
            return;
        }
        self.begin(call.key, call.id.as_str(), chunks);
        // A truncated call stays open. A complete but invalid call ends, and the receiver decides about it.
        if !matches!(call.reason, MalformedReason::Truncated { .. }) {
            chunks.push(Chunk::Call(CallChunk::End { key: call.key.into(), arguments: None }));
        }
    }

    /// Emits the start of a call that was waiting for its id, together with its arguments.
    fn begin(&mut self, key: CallIndex, id: &str, chunks: &mut Vec<Chunk>) {
        let Some(ForwardState::Waits { name, arguments, opaque }) =
            self.calls.insert(key, ForwardState::Begun)
        else {
            return;
        };
        chunks.push(start(key, id, name, opaque));
        if !arguments.is_empty() {
            chunks.push(Chunk::Call(CallChunk::Delta { key: key.into(), arguments }));
        }
    }
}

fn start(index: CallIndex, id: &str, name: String, opaque: Option<Opaque>) -> Chunk {
    Chunk::Call(CallChunk::Start { key: index.into(), id: Some(id.to_owned()), name, opaque })
}
