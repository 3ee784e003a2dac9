//! Readers for calls written as code.

use windlass_stream::CallKey;

use super::{Input, Progress};
use crate::emit::Sink;
use crate::form::Step;
use crate::literal::{Literal, Read};
use crate::matching::{Outcome, Source, read_steps};
use crate::tools::Tools;

/// A list of calls such as `[first(a=1), second()]`, starting at an opening round bracket.
#[derive(Debug)]
pub(crate) struct CodeReader {
    state: State,
}

#[derive(Debug)]
enum State {
    Call(CallKey, Literal),
    /// Between two calls.
    Between,
}

/// The beginning of the next call in a list.
const NEXT: &[Step] = &[Step::Lit(","), Step::Space, Step::Name("("), Step::Body, Step::Lit("(")];
const NEXT_LINE: &[Step] = &[Step::Name("("), Step::Body, Step::Lit("(")];

impl CodeReader {
    pub(crate) fn new(key: CallKey, tool: &str, tools: &Tools) -> Self {
        Self { state: State::Call(key, literal(tool, tools)) }
    }

    pub(crate) fn read(&mut self, input: Input<'_, '_>, sink: &mut Sink<'_>) -> Progress {
        let mut at = 0;
        loop {
            let rest = input.text.get(at..).unwrap_or_default();
            match &mut self.state {
                State::Call(key, literal) => {
                    let mut json = String::new();
                    let read = literal.push(rest, &mut json);
                    sink.delta(*key, &json);
                    match read {
                        Read::More => return Progress::More(input.text.len()),
                        // An invalid argument list makes the call unrunnable, and the rest is text.
                        Read::Broken(used) => {
                            sink.breaks(*key);
                            return Progress::Done(at.saturating_add(used));
                        }
                        Read::Done(used) => {
                            sink.end(*key);
                            at = at.saturating_add(used);
                            self.state = State::Between;
                        }
                    }
                }
                State::Between => match read_between(rest, input, sink) {
                    Next::Call(used, key, literal) => {
                        at = at.saturating_add(used);
                        self.state = State::Call(key, literal);
                    }
                    Next::Wait => return Progress::More(at),
                    Next::Done(used) => return Progress::Done(at.saturating_add(used)),
                },
            }
        }
    }
}

/// Maximum white space between two calls, in bytes.
const SPACE: usize = 64;

enum Next {
    Call(usize, CallKey, Literal),
    Wait,
    Done(usize),
}

fn read_between(rest: &str, input: Input<'_, '_>, sink: &mut Sink<'_>) -> Next {
    let spaces = rest.len().saturating_sub(rest.trim_ascii_start().len());
    let rest = rest.get(spaces..).unwrap_or_default();
    if spaces > SPACE {
        return Next::Done(0);
    }
    if rest.is_empty() && !input.ended {
        return Next::Wait;
    }
    if rest.starts_with(']') {
        return Next::Done(spaces.saturating_add(1));
    }
    let source = Source { text: rest, ended: input.ended, tools: input.tools };
    for steps in [NEXT, NEXT_LINE] {
        match read_steps(steps, source) {
            Outcome::Maybe => return Next::Wait,
            Outcome::Yes(found) if sink.ledger.admits_call() => {
                let key = sink.start(found.name);
                return Next::Call(spaces.saturating_add(found.used), key, literal(found.name, input.tools));
            }
            Outcome::No | Outcome::Yes(_) => {}
        }
    }
    Next::Done(0)
}

fn literal(tool: &str, tools: &Tools) -> Literal {
    Literal::new(tools.get(tool).map(|tool| tool.properties().to_vec()).unwrap_or_default())
}

/// The arguments of one call, as an object with unquoted keys.
#[derive(Debug)]
pub(crate) struct LiteralReader {
    key: CallKey,
    literal: Literal,
}

impl LiteralReader {
    pub(crate) fn new(key: CallKey) -> Self {
        Self { key, literal: Literal::new(Vec::new()) }
    }

    pub(crate) fn read(&mut self, input: Input<'_, '_>, sink: &mut Sink<'_>) -> Progress {
        let mut json = String::new();
        let read = self.literal.push(input.text, &mut json);
        sink.delta(self.key, &json);
        match read {
            Read::More => Progress::More(input.text.len()),
            Read::Broken(used) => {
                sink.breaks(self.key);
                Progress::Done(used)
            }
            Read::Done(used) => {
                sink.end(self.key);
                Progress::Done(used)
            }
        }
    }
}
