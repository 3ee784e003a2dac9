//! Chunk output: merges adjacent chunks, assigns ids and keys, and counts calls.

use windlass_stream::{CallChunk, CallKey, Chunk};

use crate::coerce::Coercion;
use crate::{LimitError, TextCallLimits};

/// The first key for calls found in text. Providers count their indexes from zero, so a native call in the
/// same answer cannot get the same key.
const FIRST_KEY: u64 = 1_000_000;

/// The counters, limits and reports of one message.
#[derive(Debug)]
pub(crate) struct Ledger {
    prefix: String,
    pub(crate) limits: TextCallLimits,
    calls: usize,
    exceeded: Option<LimitError>,
    coercions: Vec<Coercion>,
    pub(crate) needs_more_work: Option<bool>,
}

/// The destination of chunks.
pub(crate) struct Sink<'a> {
    pub(crate) out: &'a mut Vec<Chunk>,
    pub(crate) ledger: &'a mut Ledger,
}

impl Ledger {
    pub(crate) fn new(prefix: String, limits: TextCallLimits) -> Self {
        Self { prefix, limits, calls: 0, exceeded: None, coercions: Vec::new(), needs_more_work: None }
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls
    }

    pub(crate) fn limit_error(&self) -> Option<LimitError> {
        self.exceeded
    }

    pub(crate) fn coercions(&self) -> &[Coercion] {
        &self.coercions
    }

    /// Returns whether the limit allows another call. Records the limit error if it does not.
    pub(crate) fn admits_call(&mut self) -> bool {
        let admits = self.calls < self.limits.calls;
        if !admits {
            self.exceed(LimitError::Calls { limit: self.limits.calls });
        }
        admits
    }

    pub(crate) fn exceed(&mut self, error: LimitError) {
        self.exceeded.get_or_insert(error);
    }

    pub(crate) fn note(&mut self, coercion: Coercion) {
        // Bounds the list by the limit on calls; a longer list would not help to find a cause.
        if self.coercions.len() < self.limits.calls {
            self.coercions.push(coercion);
        }
    }
}

impl Sink<'_> {
    pub(crate) fn text(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        match self.out.last_mut() {
            Some(Chunk::Text { text }) => text.push_str(words),
            _ => self.out.push(Chunk::text(words)),
        }
    }

    pub(crate) fn reasoning(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        match self.out.last_mut() {
            Some(Chunk::Reasoning { text }) => text.push_str(words),
            _ => self.out.push(Chunk::reasoning(words)),
        }
    }

    pub(crate) fn end_reasoning(&mut self) {
        self.out.push(Chunk::ReasoningEnd { opaque: None });
    }

    pub(crate) fn start(&mut self, name: &str) -> CallKey {
        let at = self.ledger.calls;
        self.ledger.calls = at.saturating_add(1);
        let key = CallKey(FIRST_KEY.saturating_add(at as u64));
        let id = Some(format!("{}_{at}", self.ledger.prefix));
        self.out.push(Chunk::Call(CallChunk::Start { key, id, name: name.to_owned(), opaque: None }));
        key
    }

    pub(crate) fn delta(&mut self, key: CallKey, json: &str) {
        if json.is_empty() {
            return;
        }
        match self.out.last_mut() {
            Some(Chunk::Call(CallChunk::Delta { key: last, arguments })) if *last == key => {
                arguments.push_str(json);
            }
            _ => self.out.push(Chunk::Call(CallChunk::Delta { key, arguments: json.to_owned() })),
        }
    }

    pub(crate) fn end(&mut self, key: CallKey) {
        self.out.push(Chunk::Call(CallChunk::End { key, arguments: None }));
    }

    /// Makes the call unrunnable by appending a character that is not JSON outside of strings. The arguments
    /// are incomplete, and no JSON repair may complete them: repair never closes an open string and refuses
    /// U+FFFD elsewhere.
    pub(crate) fn breaks(&mut self, key: CallKey) {
        self.delta(key, "\u{fffd}");
    }

    /// Appends text inside a JSON string of a call's arguments.
    pub(crate) fn push_escaped(&mut self, key: CallKey, text: &str) {
        if let Some(Chunk::Call(CallChunk::Delta { key: last, arguments })) = self.out.last_mut()
            && *last == key
        {
            crate::escape::escape_into(arguments, text);
        } else {
            let mut arguments = String::with_capacity(text.len());
            crate::escape::escape_into(&mut arguments, text);
            self.out.push(Chunk::Call(CallChunk::Delta { key, arguments }));
        }
    }
}
