//! The assembler: chunks in, call events out, and the complete answer at the end.

mod ending;
mod fragments;
mod text;
mod whole_calls;

use serde_json::Value;
use windlass_partial_json::Snapshot;
use windlass_protocol::{Opaque, StopReason, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError};

use self::ending::end_of;
use crate::calls::fragment::Fragment;
use crate::calls::{Assignment, Calls};
use crate::classification::AnswerEnd;
use crate::parts::AnswerBuilder;
use crate::{AssembleOptions, CallEvent, CallIndex, Ending};

/// Assembles the chunks of one response into calls and an [`Answer`](crate::Answer) (RULES S13).
///
/// Call [`push`](Self::push) for each chunk and [`finish`](Self::finish) at the end of the stream. One
/// assembler handles one response.
///
/// ```
/// use windlass_assemble::{Assembler, CallEvent, CallIndex, AssembleOptions};
/// use windlass_protocol::StopReason;
/// use windlass_stream::{CallChunk, Chunk};
///
/// let fragment = |id: Option<&str>, name: Option<&str>, arguments: &str| {
///     Chunk::Call(CallChunk::Partial {
///         index: Some(0),
///         position: 0,
///         id: id.map(Into::into),
///         name: name.map(Into::into),
///         arguments: Some(arguments.into()),
///         opaque: None,
///     })
/// };
/// let mut assembler = Assembler::new(AssembleOptions::default());
/// let mut events = Vec::new();
/// assembler.push(fragment(Some("call_1"), Some("read_file"), r#"{"path":"src/"#), &mut events);
/// let path = assembler.partial(CallIndex(0)).and_then(|partial| partial.get("path"));
/// assert_eq!(path.and_then(|path| path.as_str()), Some("src/"));
/// assembler.push(fragment(None, None, r#"lib.rs"}"#), &mut events);
/// assembler.push(Chunk::Finish { reason: StopReason::Calls, raw: "tool_calls".into() }, &mut events);
/// assert!(matches!(events.last(), Some(CallEvent::Finished { .. })));
///
/// let answer = assembler.finish(&mut events);
/// assert_eq!(answer.good_calls().count(), 1);
/// ```
#[derive(Debug)]
pub struct Assembler {
    options: AssembleOptions,
    calls: Calls,
    parts: AnswerBuilder,
    stop: Option<StopReason>,
    raw_stop: Option<String>,
    usage: Usage,
    grounding: Vec<Value>,
    error: Option<StreamError>,
    /// The ending of the answer, once it is known. A call that begins afterwards resets it.
    ending: Option<Ending>,
    /// Set when text has been dropped: text that fits again must not follow, because the gap would be invisible.
    is_full: bool,
}

impl Assembler {
    /// Creates an assembler for one response.
    pub fn new(options: AssembleOptions) -> Self {
        Self {
            options,
            calls: Calls::default(),
            parts: AnswerBuilder::default(),
            stop: None,
            raw_stop: None,
            usage: Usage::default(),
            grounding: Vec::new(),
            error: None,
            ending: None,
            is_full: false,
        }
    }

    /// Processes the next chunk and appends its call events to `events`.
    pub fn push(&mut self, chunk: Chunk, events: &mut Vec<CallEvent>) {
        match chunk {
            Chunk::Text { text } => self.push_text(text),
            Chunk::TextEnd { opaque } => self.parts.end_words(opaque),
            Chunk::Reasoning { text } => self.push_reasoning(text),
            Chunk::ReasoningEnd { opaque } => self.parts.end_thoughts(opaque),
            Chunk::Call(piece) => self.push_call(piece, events),
            Chunk::Usage { usage } => self.usage = usage,
            Chunk::Grounding { value } => self.grounding.push(value),
            Chunk::Citation { citation, unit } => self.parts.cite(citation, unit),
            Chunk::Finish { reason, raw } => {
                let end = end_of(&reason);
                self.stop = Some(reason);
                self.raw_stop = Some(raw);
                self.end(end, events);
            }
            Chunk::Error { error } => {
                // Keep the first failure, because it causes later failures.
                self.error.get_or_insert(error);
                self.end(AnswerEnd::Known(Ending::Error), events);
            }
            Chunk::Unknown(unknown) => self.parts.keep(unknown),
            // A kind of chunk that this version does not know is not part of the answer.
            _ => {}
        }
    }

    /// Returns a view of a call's arguments in constant time, or `None` if the call has ended. The index is
    /// the place of the call in the answer.
    pub fn partial(&self, index: CallIndex) -> Option<Snapshot<'_>> {
        self.calls.growing(usize::try_from(index.0).ok()?).map(|call| call.parser.snapshot())
    }

    fn push_call(&mut self, piece: CallChunk, events: &mut Vec<CallEvent>) {
        match piece {
            CallChunk::Partial { .. } => {
                if let Some(fragment) = Fragment::from_chunk(piece) {
                    self.push_fragment(fragment, events);
                }
            }
            CallChunk::Start { key, id, name, opaque } => {
                let placed =
                    self.calls.start(key, id.as_deref().filter(|id| !id.is_empty()), name, &self.options);
                self.record_start(placed, opaque, events);
            }
            CallChunk::Delta { key, arguments } => self.push_delta(key, arguments, events),
            CallChunk::End { key, arguments } => self.push_end(key, arguments, events),
            CallChunk::Whole { id, name, body, opaque } => {
                self.push_whole(id.as_deref(), name, body, opaque, events);
            }
            _ => {}
        }
    }

    fn push_delta(&mut self, key: CallKey, arguments: String, events: &mut Vec<CallEvent>) {
        let placed = if let Some(placed) = self.calls.find_key(key) {
            placed
        } else {
            // The start event was lost. The call has no name and will be reported as malformed (S11).
            let placed = self.calls.start(key, None, String::new(), &self.options);
            self.record_start(placed, None, events);
            placed
        };
        let Assignment::Call(at) = placed else { return };
        let Some(call) = self.calls.growing_mut(at) else { return };
        if arguments.is_empty() {
            return;
        }
        call.push(&arguments, &self.options.limits);
        call.tell(Some(arguments), events);
    }

    /// Records the start of a call or the overflow of the limit.
    fn record_start(&mut self, placed: Assignment, opaque: Option<Opaque>, events: &mut Vec<CallEvent>) {
        // A body with several responses contains a finish before its end.
        self.ending = None;
        match placed {
            Assignment::Call(at) => {
                self.parts.call(at);
                if let Some(call) = self.calls.growing_mut(at) {
                    call.opaque = opaque;
                    call.tell(None, events);
                }
            }
            Assignment::Beyond => events.extend(self.calls.overflow(&self.options).map(CallEvent::Malformed)),
            Assignment::Nowhere => {}
        }
    }
}
