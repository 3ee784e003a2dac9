//! A call while it streams.

use windlass_partial_json::{Event, Parser, Status};
use windlass_protocol::{CallId, Opaque, ToolName};

use crate::name::GrowingName;
use crate::{AssembleLimits, CallEvent, CallIndex};

/// The provider's marking of the end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// The provider sends fragments by index and does not mark ends.
    None,
    /// The provider marks ends, and the end of this call has not arrived.
    Open,
    /// The end of this call has arrived.
    Ended,
}

/// A call while it streams.
#[derive(Debug)]
pub(crate) struct GrowingCall {
    pub(crate) key: CallIndex,
    pub(crate) id: Option<CallId>,
    pub(crate) name: GrowingName,
    pub(crate) opaque: Option<Opaque>,
    pub(crate) marks: Framing,
    /// The text of the arguments as received.
    pub(crate) text: String,
    pub(crate) parser: Parser,
    /// True if the arguments exceed the limit.
    pub(crate) overflowed: bool,
    started: bool,
    /// The number of bytes of `text` that have been emitted.
    told: usize,
}

impl GrowingCall {
    pub(crate) fn new(
        key: CallIndex,
        id: Option<CallId>,
        name: GrowingName,
        marks: Framing,
        limits: &AssembleLimits,
    ) -> Self {
        Self {
            key,
            id,
            name,
            opaque: None,
            marks,
            text: String::new(),
            parser: Parser::with_limits(limits.json()),
            overflowed: false,
            started: false,
            told: 0,
        }
    }

    /// Appends text to the arguments.
    pub(crate) fn push(&mut self, delta: &str, limits: &AssembleLimits) {
        if self.overflowed || delta.len() > limits.argument_bytes.saturating_sub(self.text.len()) {
            self.overflowed = true;
            return;
        }
        self.text.push_str(delta);
        // Errors are evaluated at the end of the call; until then the parser provides the valid prefix.
        let _ = self.parser.push(delta);
    }

    /// Compares with the complete text that a provider repeats at the end, and appends only the missing
    /// suffix (S6). A text that does not begin with the received text is ignored.
    pub(crate) fn complete(&mut self, whole: &str, limits: &AssembleLimits) {
        let missing = whole.strip_prefix(self.text.as_str()).unwrap_or_default().to_owned();
        self.push(&missing, limits);
    }

    pub(crate) fn is_complete_json(&self) -> bool {
        self.parser.status() == Status::Complete
    }

    /// Emits new text and complete arguments, once the name is known. `delta` is the text that was just
    /// pushed; it is moved into the event if it is all of the new text, which saves a copy.
    pub(crate) fn tell(&mut self, delta: Option<String>, events: &mut Vec<CallEvent>) {
        if !self.started {
            if !self.name.is_settled() {
                return;
            }
            let Ok(name) = ToolName::new(self.name.as_str()) else { return };
            self.started = true;
            events.push(CallEvent::Started { key: self.key, id: self.id.clone(), name });
        }
        let Some(new) = self.text.get(self.told..).filter(|new| !new.is_empty()) else { return };
        let delta = delta.filter(|delta| delta.len() == new.len()).unwrap_or_else(|| new.to_owned());
        self.told = self.text.len();
        events.push(CallEvent::Arguments { key: self.key, delta });
        self.tell_arguments(events);
    }

    /// Emits complete members of the top-level object only. Each value is copied once, so the cost stays
    /// linear.
    fn tell_arguments(&mut self, events: &mut Vec<CallEvent>) {
        let key = self.key;
        self.parser.drain_events(|event| {
            let Event::Complete { path, value } = event else { return };
            if path.strip_prefix('/').is_none_or(|token| token.contains('/')) {
                return;
            }
            if let Some(value) = value.to_value() {
                events.push(CallEvent::ArgumentComplete { key, path: path.to_owned(), value });
            }
        });
    }
}
