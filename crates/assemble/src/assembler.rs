//! The assembler: chunks in, call events out, and the complete answer at the end.

mod ending;

use serde_json::Value;
use windlass_partial_json::Snapshot;
use windlass_protocol::{Opaque, Part, Payload, StopReason, ToolName, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError, StreamErrorKind, WholeCall};

use self::ending::end_of;
use crate::calls::fragment::Fragment;
use crate::calls::{Assignment, Calls, Place};
use crate::classification::{AnswerEnd, End, Rank};
use crate::growing::Marks;
use crate::parts::{Parts, Slot};
use crate::{Answer, AnswerCall, CallEvent, CallIndex, Ending, Notes, Options};

/// Assembles the chunks of one response into calls and an [`Answer`] (RULES S13).
///
/// Call [`push`](Self::push) for each chunk and [`finish`](Self::finish) at the end of the stream. One
/// assembler handles one response.
///
/// ```
/// use windlass_assemble::{Assembler, CallEvent, CallIndex, Options};
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
/// let mut assembler = Assembler::new(Options::default());
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
    options: Options,
    calls: Calls,
    parts: Parts,
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
    pub fn new(options: Options) -> Self {
        Self {
            options,
            calls: Calls::default(),
            parts: Parts::default(),
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
            Chunk::Text { text } => {
                let text = self.admit(text);
                self.parts.speak(text);
            }
            Chunk::TextEnd { opaque } => self.parts.end_words(opaque),
            Chunk::Reasoning { text } => {
                let text = self.admit(text);
                self.parts.think(text);
            }
            Chunk::ReasoningEnd { opaque } => self.parts.end_thoughts(opaque),
            Chunk::Call(piece) => self.push_call(piece, events),
            Chunk::Usage { usage } => self.usage = usage,
            Chunk::Grounding { value } => self.grounding.push(value),
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

    /// Ends the response and returns the answer. A stream without a finish reason counts as dropped, and its
    /// open calls are malformed.
    pub fn finish(mut self, events: &mut Vec<CallEvent>) -> Answer {
        if self.ending.is_none() {
            self.end(AnswerEnd::Known(Ending::Dropped), events);
        }
        // All calls have ended by now, so an index in `places` equals the index in `calls`.
        let ended = |place| match place {
            Place::Ended(call) => Some(*call),
            Place::Growing(_) => None,
        };
        let calls: Vec<AnswerCall> = self.calls.places.into_iter().filter_map(ended).collect();
        let part = |slot| match slot {
            Slot::Part(part) => Some(part),
            Slot::Call(at) => calls.get(at).and_then(AnswerCall::to_call).map(Part::Call),
        };
        let parts = self.parts.into_slots().into_iter().filter_map(part).collect();
        Answer {
            parts,
            calls,
            stop: self.stop,
            raw_stop: self.raw_stop,
            usage: self.usage,
            grounding: self.grounding,
            error: self.error,
            ending: self.ending.unwrap_or(Ending::Dropped),
        }
    }

    /// Returns the text, or an empty string with an error in the answer if the text exceeds the limit.
    fn admit(&mut self, text: String) -> String {
        let limit = self.options.limits.text_bytes;
        if !self.is_full && text.len() <= limit.saturating_sub(self.parts.bytes()) {
            return text;
        }
        self.is_full |= !text.is_empty();
        let message = format!("the answer has more than {limit} bytes of text");
        self.error.get_or_insert(StreamError::new(StreamErrorKind::Unknown, None, message));
        String::new()
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
            CallChunk::End { key, arguments } => {
                let Some(Assignment::Call(at)) = self.calls.find_key(key) else { return };
                let Some(call) = self.calls.growing_mut(at) else { return };
                if let Some(whole) = arguments {
                    call.complete(&whole, &self.options.limits);
                }
                call.marks = Marks::Ended;
                call.tell(None, events);
                self.end_call(at, End::Mark, Rank::Last, events);
            }
            CallChunk::Whole { id, name, body, opaque } => {
                self.push_whole(id.as_deref(), name, body, opaque, events);
            }
            _ => {}
        }
    }

    fn push_fragment(&mut self, fragment: Fragment, events: &mut Vec<CallEvent>) {
        let before = self.calls.places.len();
        let placed = self.calls.place(&fragment, &self.options);
        if self.calls.places.len() > before || placed == Assignment::Beyond {
            self.record_start(placed, None, events);
        }
        let Assignment::Call(at) = placed else { return };
        let Some(call) = self.calls.growing_mut(at) else { return };
        if fragment.opaque.is_some() {
            call.opaque = fragment.opaque;
        }
        if let Some(name) = fragment.name {
            call.name.push(&name, &self.options.tools);
        }
        if let Some(arguments) = &fragment.arguments {
            call.name.meet_arguments(&self.options.tools);
            call.push(arguments, &self.options.limits);
        }
        call.tell(fragment.arguments, events);
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

    fn push_whole(
        &mut self,
        id: Option<&str>,
        name: String,
        body: WholeCall,
        opaque: Option<Opaque>,
        events: &mut Vec<CallEvent>,
    ) {
        let placed = self.calls.whole(id.filter(|id| !id.is_empty()), name, &self.options);
        self.record_start(placed, opaque, events);
        let Assignment::Call(at) = placed else { return };
        match body {
            WholeCall::Arguments(text) => {
                if let Some(call) = self.calls.growing_mut(at) {
                    call.push(&text, &self.options.limits);
                    call.tell(Some(text), events);
                }
                self.end_call(at, End::Mark, Rank::Last, events);
            }
            WholeCall::Payload(payload) => self.finish_payload(at, payload, events),
        }
    }

    /// Finishes a call with a parsed payload; only its name still has to be valid.
    fn finish_payload(&mut self, at: usize, payload: Payload, events: &mut Vec<CallEvent>) {
        let Some(name) = self.calls.growing(at).and_then(|call| ToolName::new(call.name.as_str()).ok())
        else {
            if let Some(call) = self.calls.growing_mut(at) {
                call.push(&payload.text(), &self.options.limits);
            }
            return;
        };
        self.close(at, Ok((name, payload, Notes::default())), events);
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
