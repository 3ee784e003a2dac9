//! Reader for calls in JSON that holds their names and arguments (RULES X6): one object, a list, or an answer
//! that contains a list of calls.

mod draft;
mod member;
mod role;

use self::draft::Draft;
use self::role::Role;
use super::{Input, Progress};
use crate::LimitError;
use crate::emit::Sink;
use crate::form::Shape;
use crate::json_value::ValueScan;
use crate::tools::NAME_BYTES;

/// Maximum nesting of lists and objects around a call.
const LEVELS: usize = 8;

/// Maximum bytes of a key or a name; one escaped character takes up to six bytes.
const WORD_BYTES: usize = NAME_BYTES * 6;

/// Incremental reader of JSON that holds calls.
#[derive(Debug)]
pub(crate) struct EnvelopeReader {
    shape: Shape,
    levels: Vec<Level>,
    place: Place,
    /// The text of the current key or value, if it is needed.
    word: String,
    escaped: bool,
    scan: ValueScan,
    draft: Draft,
    /// Consumed text that may still turn out not to be a call.
    held: String,
    /// True if a call or content has been emitted, so that the rest cannot become text.
    committed: bool,
    /// Content of a structured answer, held until the JSON is known to be one.
    content: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    List,
    /// An object that is a call or contains calls.
    Object,
    /// An object inside a call that holds the name and the arguments.
    Inner,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before a value.
    Value(Role),
    /// Inside of a value.
    Inside(Role),
    /// Before a key or the end of an object.
    Key,
    InKey,
    /// After a key.
    Colon,
    /// After an item of a list.
    After,
}

/// The result of one step.
enum Step {
    /// Consumed this many bytes.
    Took(usize),
    /// The outermost value ended after this many bytes.
    Over(usize),
    /// The JSON is not a call, as this many bytes have shown.
    No(usize),
}

impl EnvelopeReader {
    /// Creates a reader. `source` is the mark before the JSON.
    pub(crate) fn new(shape: Shape, source: &str) -> Self {
        Self {
            shape,
            levels: Vec::new(),
            place: Place::Value(Role::Call),
            word: String::new(),
            escaped: false,
            scan: ValueScan::default(),
            draft: Draft::default(),
            held: source.to_owned(),
            committed: false,
            content: String::new(),
        }
    }

    /// Returns the text that did not become a call.
    pub(crate) fn into_held(mut self) -> String {
        self.take_held()
    }

    pub(crate) fn read(&mut self, input: Input<'_, '_>, sink: &mut Sink<'_>) -> Progress {
        let mut at = 0;
        while at < input.text.len() {
            let rest = input.text.get(at..).unwrap_or_default();
            let room = rest.ceil_char_boundary(self.room(sink.ledger.limits.held_bytes));
            let rest = Input { text: rest.get(..room).unwrap_or(rest), ..input };
            match self.step(rest, sink) {
                Step::Took(used) => at = at.saturating_add(used),
                Step::Over(used) => {
                    self.draft.settle(sink);
                    return Progress::Done(at.saturating_add(used));
                }
                Step::No(used) => {
                    self.draft.settle(sink);
                    at = at.saturating_add(used);
                    let held = self.take_held();
                    if self.committed {
                        sink.text(&held);
                        return Progress::Done(at);
                    }
                    return Progress::Release(at, held);
                }
            }
            let limit = sink.ledger.limits.held_bytes;
            if self.held.len() > limit {
                sink.ledger.exceed(LimitError::Held { limit });
                return Progress::Release(at, self.take_held());
            }
        }
        if input.ended {
            self.draft.settle(sink);
        }
        Progress::More(at)
    }

    /// Returns the number of bytes to read before the next limit check, so that a limit applies at the same
    /// byte however the text is split.
    fn room(&self, held_bytes: usize) -> usize {
        let held =
            if self.draft.has_begun() { usize::MAX } else { held_bytes.saturating_sub(self.held.len()) };
        let word = match self.place {
            Place::InKey | Place::Inside(Role::Name | Role::More) => {
                WORD_BYTES.saturating_sub(self.word.len())
            }
            _ => usize::MAX,
        };
        held.min(word).saturating_add(1)
    }

    /// Takes the consumed text that did not become a call. Marks between calls are part of the calls.
    fn take_held(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        let is_item = self.levels.last().is_some_and(|level| *level != Level::List);
        if !self.committed || (is_item && !self.draft.is_answer) { held } else { String::new() }
    }

    fn step(&mut self, rest: Input<'_, '_>, sink: &mut Sink<'_>) -> Step {
        let Some(&byte) = rest.text.as_bytes().first() else { return Step::Took(0) };
        match self.place {
            Place::Inside(role) => self.read_value(role, rest, sink),
            Place::InKey => self.in_key(rest),
            _ if byte.is_ascii_whitespace() => self.consume(rest.text, 1),
            Place::Value(role) => self.value(role, byte, rest, sink),
            Place::Key => match byte {
                b',' => self.consume(rest.text, 1),
                b'"' => {
                    self.word.clear();
                    self.place = Place::InKey;
                    self.consume(rest.text, 1)
                }
                b'}' => self.close(rest, sink),
                _ => Step::No(0),
            },
            Place::Colon if byte == b':' => match self.role(rest, sink) {
                Some(role) => {
                    self.place = Place::Value(role);
                    self.consume(rest.text, 1)
                }
                None => Step::No(0),
            },
            Place::After if byte == b',' => {
                self.place = Place::Value(Role::Call);
                self.consume(rest.text, 1)
            }
            Place::After if byte == b']' => self.close(rest, sink),
            Place::Colon | Place::After => Step::No(0),
        }
    }

    /// Consumes the first `len` bytes and holds them while they may still be text.
    fn consume(&mut self, text: &str, len: usize) -> Step {
        if !self.draft.has_begun() {
            self.held.push_str(text.get(..len).unwrap_or_default());
        }
        Step::Took(len)
    }

    fn value(&mut self, role: Role, byte: u8, rest: Input<'_, '_>, sink: &mut Sink<'_>) -> Step {
        let role = match (role, byte) {
            (Role::Call | Role::Calls, b'{') => return self.open(Level::Object, rest, sink),
            (Role::Call | Role::Calls, b'[') => return self.open(Level::List, rest, sink),
            (Role::Call, b']') if self.levels.last() == Some(&Level::List) => return self.close(rest, sink),
            (Role::Call, _) => return Step::No(0),
            (Role::Function, b'{') => return self.open(Level::Inner, rest, sink),
            (Role::Function, _) => Role::Name,
            (Role::Name, byte) if byte != b'"' => return Step::No(0),
            (Role::Calls, _) => Role::Skip,
            (Role::Content, byte) if byte != b'"' => Role::Skip,
            (Role::Arguments, _) if self.draft.refused => Role::Skip,
            (Role::Arguments, _) if self.draft.has_arguments() => {
                self.draft.double();
                Role::Skip
            }
            (role, _) => role,
        };
        self.scan = ValueScan::default();
        self.word.clear();
        self.place = Place::Inside(role);
        if role == Role::Arguments {
            self.draft.begin_arguments();
            self.begin_call(sink);
        }
        Step::Took(0)
    }

    fn open(&mut self, level: Level, rest: Input<'_, '_>, sink: &mut Sink<'_>) -> Step {
        if self.levels.len() >= LEVELS {
            return Step::No(0);
        }
        if level == Level::Object {
            self.draft.settle(sink);
            self.draft = Draft::default();
            if self.committed {
                self.held.clear();
            }
        }
        self.levels.push(level);
        self.place = if level == Level::List { Place::Value(Role::Call) } else { Place::Key };
        self.consume(rest.text, 1)
    }

    /// Processes a tool name. Returns `false` if it shows that this is not a call. The first name counts
    /// (RULES S5).
    fn name(&mut self, name: &str, rest: Input<'_, '_>, sink: &mut Sink<'_>) -> bool {
        if self.draft.has_name() {
            if self.draft.name.as_deref().is_some_and(|first| first != name) {
                self.draft.double();
            }
            return true;
        }
        if rest.tools.offers(name) && sink.ledger.admits_call() {
            self.draft.name = Some(name.to_owned());
            self.begin_call(sink);
            return true;
        }
        self.draft.refused = true;
        self.committed
    }

    fn begin_call(&mut self, sink: &mut Sink<'_>) {
        if self.draft.is_ready() {
            self.commit(sink);
            self.draft.begin(sink);
        }
    }

    /// Commits to reading the JSON as calls: it can no longer be emitted as text.
    fn commit(&mut self, sink: &mut Sink<'_>) {
        self.committed = true;
        self.held.clear();
        let content = std::mem::take(&mut self.content);
        sink.text(&content);
    }

    /// Processes the end of an object or a list.
    fn close(&mut self, rest: Input<'_, '_>, sink: &mut Sink<'_>) -> Step {
        let _ = self.consume(rest.text, 1);
        if self.levels.last() == Some(&Level::Object) && !self.draft.is_answer {
            if self.draft.lacks_arguments() {
                self.draft.begin_arguments();
                self.begin_call(sink);
                self.draft.push_arguments("{}", sink);
                self.draft.end_arguments();
            } else if !self.draft.has_begun() {
                if !self.committed {
                    return Step::No(1);
                }
                // One of several objects, and not a call: emit it as the text that was written (RULES X1).
                let held = std::mem::take(&mut self.held);
                sink.text(&held);
            }
        }
        let Some(level) = self.levels.pop() else { return Step::No(1) };
        self.place = if self.levels.last() == Some(&Level::List) { Place::After } else { Place::Key };
        if level != Level::Inner {
            // The following members belong to an answer that contains calls.
            self.draft.settle(sink);
            self.draft = Draft::answer();
        }
        match self.levels.is_empty() {
            true if self.committed => Step::Over(1),
            true => Step::No(1),
            false => Step::Took(1),
        }
    }
}
