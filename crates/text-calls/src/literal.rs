//! Incremental conversion of Python or relaxed JSON values into JSON.
//!
//! Arguments of a call are Python. Only literals have a value there: a name, a call or an f-string would need
//! an interpreter, so it makes the literal invalid. Relaxed JSON has unquoted words, which are strings.

mod string;
mod word;

use self::string::{Prefix, QuotedString, StringProgress};
use crate::escape::quote;

/// Maximum nesting depth of brackets.
const DEPTH: usize = 128;

/// A value that is being converted into JSON. Its first character must be an opening bracket: `(` for the
/// arguments of a call, `{` for an object, `[` for a list.
#[derive(Debug)]
pub(crate) struct Literal {
    stack: Vec<Frame>,
    state: State,
    /// Parameter names for positional arguments, in order.
    positional: Vec<String>,
    next_positional: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    close: char,
    kind: Kind,
    /// True if the bracket already contains an item.
    filled: bool,
    /// True if the bracket contains a comma; without one, round brackets are not a tuple in Python.
    has_comma: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Python,
    Relaxed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Arguments,
    Object,
    List,
}

#[derive(Debug)]
enum State {
    /// Before a member or an item, or the closing bracket.
    Item,
    /// In an unquoted key; holds its text so far.
    BareKey(String),
    Key(QuotedString),
    /// After a key.
    Colon,
    /// Before a value.
    Value,
    Text(QuotedString),
    Word(String),
    /// After a value.
    After,
}

/// The progress of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// All text was consumed and the literal is incomplete.
    More,
    /// The literal ended after this many bytes.
    Done(usize),
    /// The byte at this offset is invalid in a literal.
    Broken(usize),
}

/// The effect of one character.
enum Step {
    Taken,
    /// The state changed, and the same character must be processed again.
    Again,
    Done,
    Broken,
}

impl Literal {
    /// Creates a conversion. `positional` holds the parameter names of the call in order.
    pub(crate) fn new(positional: Vec<String>) -> Self {
        Self { stack: Vec::new(), state: State::Value, positional, next_positional: 0 }
    }

    /// Converts the next text and appends the JSON.
    pub(crate) fn push(&mut self, text: &str, json: &mut String) -> Read {
        for (at, c) in text.char_indices() {
            loop {
                match self.step(c, json) {
                    Step::Taken => break,
                    Step::Again => {}
                    Step::Done => return Read::Done(at.saturating_add(c.len_utf8())),
                    Step::Broken => return Read::Broken(at),
                }
            }
        }
        Read::More
    }

    fn step(&mut self, c: char, json: &mut String) -> Step {
        match &mut self.state {
            State::Item => self.item(c, json),
            State::Value => self.value(c, json),
            State::BareKey(key) => {
                if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') {
                    key.push(c);
                    return Step::Taken;
                }
                json.push_str(&quote(key));
                self.state = State::Colon;
                Step::Again
            }
            State::Key(text) => {
                let over = text.push(c, json);
                self.end_string(over, State::Colon)
            }
            State::Colon => match c {
                c if c.is_whitespace() => Step::Taken,
                ':' | '=' if takes_sign(&self.stack, c) => {
                    json.push(':');
                    self.state = State::Value;
                    Step::Taken
                }
                _ => Step::Broken,
            },
            State::Text(text) => {
                let over = text.push(c, json);
                self.end_string(over, State::After)
            }
            State::Word(_) => self.word(c, json),
            State::After => self.separate(c, json),
        }
    }

    /// Updates the state after a character of a string.
    fn end_string(&mut self, over: StringProgress, next: State) -> Step {
        if over == StringProgress::Broken {
            return Step::Broken;
        }
        if over != StringProgress::No {
            self.state = next;
        }
        if over == StringProgress::Before { Step::Again } else { Step::Taken }
    }

    fn item(&mut self, c: char, json: &mut String) -> Step {
        let language = language(&self.stack);
        let Some(frame) = self.stack.last_mut() else { return Step::Broken };
        if c.is_whitespace() {
            return Step::Taken;
        }
        if c == frame.close {
            return self.close(json);
        }
        if std::mem::replace(&mut frame.filled, true) {
            json.push(',');
        }
        match frame.kind {
            Kind::List => {
                self.state = State::Value;
                Step::Again
            }
            // Only relaxed JSON allows an unquoted key of an object; in Python it would be a variable.
            Kind::Object if language == Language::Python && !matches!(c, '"' | '\'') => Step::Broken,
            Kind::Object | Kind::Arguments if c.is_alphabetic() || c == '_' => {
                self.state = State::BareKey(String::new());
                Step::Again
            }
            Kind::Object => match QuotedString::open(c) {
                Some(text) => {
                    json.push('"');
                    self.state = State::Key(text);
                    Step::Taken
                }
                None => Step::Broken,
            },
            Kind::Arguments => {
                let name = self.positional.get(self.next_positional).cloned();
                let name = name.unwrap_or_else(|| format!("argument_{}", self.next_positional));
                self.next_positional = self.next_positional.saturating_add(1);
                json.push_str(&quote(&name));
                json.push(':');
                self.state = State::Value;
                Step::Again
            }
        }
    }

    fn value(&mut self, c: char, json: &mut String) -> Step {
        if c.is_whitespace() {
            return Step::Taken;
        }
        let (close, kind, open) = match c {
            '(' if self.stack.is_empty() => (')', Kind::Arguments, '{'),
            '{' => ('}', Kind::Object, '{'),
            '[' => (']', Kind::List, '['),
            '(' => (')', Kind::List, '['),
            ',' | ')' | ']' | '}' | ':' | '=' => return Step::Broken,
            _ => {
                if let Some(text) = QuotedString::open(c) {
                    let is_python = language(&self.stack) == Language::Python;
                    json.push('"');
                    self.state = State::Text(if is_python { text.with_prefix(Prefix::None) } else { text });
                    return Step::Taken;
                }
                self.state = State::Word(c.to_string());
                return Step::Taken;
            }
        };
        if self.stack.len() >= DEPTH {
            return Step::Broken;
        }
        json.push(open);
        self.stack.push(Frame { close, kind, filled: false, has_comma: false });
        self.state = State::Item;
        Step::Taken
    }

    fn separate(&mut self, c: char, json: &mut String) -> Step {
        let language = language(&self.stack);
        let Some(frame) = self.stack.last_mut() else { return Step::Broken };
        // `("x")` is a string in Python, but the `[` of a list has already been written.
        let is_group = frame.kind == Kind::List && frame.close == ')' && !frame.has_comma;
        if c.is_whitespace() {
            Step::Taken
        } else if c == frame.close && is_group && language == Language::Python {
            Step::Broken
        } else if c == ',' {
            frame.has_comma = true;
            self.state = State::Item;
            Step::Taken
        } else if c == frame.close {
            self.close(json)
        } else {
            Step::Broken
        }
    }

    fn close(&mut self, json: &mut String) -> Step {
        if let Some(frame) = self.stack.pop() {
            json.push(if frame.kind == Kind::List { ']' } else { '}' });
        }
        self.state = State::After;
        if self.stack.is_empty() { Step::Done } else { Step::Taken }
    }
}

/// Returns whether `sign` may separate a key from its value: in Python `=` for an argument and `:` for a
/// dictionary entry.
fn takes_sign(stack: &[Frame], sign: char) -> bool {
    match stack.last() {
        _ if language(stack) == Language::Relaxed => true,
        Some(Frame { kind: Kind::Arguments, .. }) => sign == '=',
        _ => sign == ':',
    }
}

/// Returns the language of a literal: Python for the arguments of a call, relaxed JSON otherwise.
fn language(stack: &[Frame]) -> Language {
    match stack.first() {
        Some(Frame { kind: Kind::Arguments, .. }) => Language::Python,
        _ => Language::Relaxed,
    }
}

/// Converts a complete literal to JSON, or returns `None` if the text is not one literal.
pub(crate) fn to_json(text: &str) -> Option<String> {
    let text = text.trim();
    let mut json = String::with_capacity(text.len());
    match Literal::new(Vec::new()).push(text, &mut json) {
        Read::Done(used) if used == text.len() => Some(json),
        _ => None,
    }
}
