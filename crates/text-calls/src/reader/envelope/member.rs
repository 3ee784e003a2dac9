//! Keys and values of the objects around a call.

use super::draft::words_into;
use super::role::{Role, role_of};
use super::{EnvelopeReader, Level, Place, Step, WORD_BYTES};
use crate::emit::Sink;
use crate::form::Shape;
use crate::reader::Input;

impl EnvelopeReader {
    /// Continues reading a value.
    pub(super) fn read_value(&mut self, role: Role, rest: Input<'_, '_>, sink: &mut Sink<'_>) -> Step {
        let end = self.scan.push(rest.text);
        let len = end.unwrap_or(rest.text.len());
        let part = rest.text.get(..len).unwrap_or_default();
        match role {
            Role::Arguments => self.draft.push_arguments(part, sink),
            Role::Name | Role::More => self.word.push_str(part),
            Role::Content => {
                self.word.push_str(part);
                self.speak(sink);
            }
            Role::Skip | Role::Call | Role::Calls | Role::Function => {}
        }
        let step = self.consume(rest.text, len);
        if end.is_some() {
            self.place = Place::Key;
            if !self.end_value(role, rest, sink) {
                return Step::No(len);
            }
        } else if role != Role::Content && self.word.len() > WORD_BYTES {
            return Step::No(len);
        }
        step
    }

    /// Processes a complete value. Returns `false` if it shows that this is not a call.
    fn end_value(&mut self, role: Role, rest: Input<'_, '_>, sink: &mut Sink<'_>) -> bool {
        match role {
            Role::Name => {
                let name: String = serde_json::from_str(&self.word).unwrap_or_default();
                return self.name(&name, rest, sink);
            }
            Role::Arguments => self.draft.end_arguments(),
            Role::More => {
                if let Ok(more) = serde_json::from_str(&self.word) {
                    sink.ledger.needs_more_work = Some(more);
                }
            }
            Role::Skip | Role::Call | Role::Calls | Role::Function | Role::Content => {}
        }
        true
    }

    /// Continues reading a key.
    pub(super) fn in_key(&mut self, rest: Input<'_, '_>) -> Step {
        for (at, byte) in rest.text.bytes().enumerate() {
            if std::mem::take(&mut self.escaped) {
                continue;
            }
            match byte {
                b'\\' => self.escaped = true,
                b'"' => {
                    self.word.push_str(rest.text.get(..at).unwrap_or_default());
                    self.place = Place::Colon;
                    return self.consume(rest.text, at.saturating_add(1));
                }
                _ => {}
            }
        }
        self.word.push_str(rest.text);
        let step = self.consume(rest.text, rest.text.len());
        if self.word.len() > WORD_BYTES { Step::No(rest.text.len()) } else { step }
    }

    /// Returns the role of the member whose key was just read, or `None` if a call cannot have that member.
    pub(super) fn role(&mut self, rest: Input<'_, '_>, sink: &mut Sink<'_>) -> Option<Role> {
        let key = std::mem::take(&mut self.word);
        let is_inner = self.levels.last() == Some(&Level::Inner);
        if self.shape == Shape::Keyed && !is_inner {
            return self.name(&key, rest, sink).then_some(Role::Arguments);
        }
        let role = role_of(&key, is_inner);
        if matches!(role, Some(Role::Calls | Role::Content)) {
            self.draft.is_answer |= role == Some(Role::Calls) || self.shape == Shape::Structured;
            if self.shape == Shape::Structured {
                self.commit(sink);
            }
        }
        if role.is_none() && self.shape == Shape::Bare && !self.committed {
            return None;
        }
        role.or(Some(Role::Skip))
    }

    /// Emits the decoded content of the answer if the reader has committed to it.
    fn speak(&mut self, sink: &mut Sink<'_>) {
        let rest = words_into(&self.word, &mut self.content);
        self.word.drain(..self.word.len().saturating_sub(rest));
        if self.committed {
            sink.text(&std::mem::take(&mut self.content));
        }
    }
}
