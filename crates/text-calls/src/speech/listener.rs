//! Hears the calls in an answer of words.

use std::collections::{BTreeMap, BTreeSet};

use windlass_protocol::{Arguments, Payload, Request, Role, ToolSpec};
use windlass_stream::{CallChunk, CallKey, Chunk, WholeCall};

use super::answer::FREE_TEXT;
use super::as_function;
use crate::{Dialect, Options, Reasoning, Scanner};

/// Hears the calls in one answer of words: chunks in, the chunks of a provider with tool calls out.
///
/// Made by [`Speech::listener`](crate::Speech::listener).
#[derive(Debug)]
pub struct Listener {
    scanner: Scanner,
    heard: Vec<Chunk>,
    /// The tools that take free text.
    freeform: BTreeSet<String>,
    /// Calls of those that have begun.
    open: BTreeMap<CallKey, Free>,
}

/// A call of a tool that takes free text, until it is whole.
#[derive(Debug)]
struct Free {
    id: Option<String>,
    name: String,
    arguments: String,
}

impl Listener {
    pub(super) fn new(dialect: Dialect, request: &Request) -> Self {
        // X4: the same conversation gives the same ids again, and each turn its own.
        let turn = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
        let options = Options::default()
            .with_dialect(dialect)
            .with_tools(request.tools.iter().map(as_function))
            .with_reasoning(Reasoning::Split)
            .with_id_prefix(format!("text_{turn}"));
        let freeform = request.tools.iter().filter(|tool| matches!(tool, ToolSpec::Freeform { .. }));
        Self {
            scanner: Scanner::new(options),
            heard: Vec::new(),
            freeform: freeform.map(|tool| tool.name().as_str().to_owned()).collect(),
            open: BTreeMap::new(),
        }
    }

    /// Takes the next chunk of the answer and adds what it means to `out`.
    pub fn push(&mut self, chunk: Chunk, out: &mut Vec<Chunk>) {
        if self.freeform.is_empty() {
            return self.scanner.push_chunk(chunk, out);
        }
        let mut heard = std::mem::take(&mut self.heard);
        self.scanner.push_chunk(chunk, &mut heard);
        for chunk in heard.drain(..) {
            self.free(chunk, out);
        }
        self.heard = heard;
    }

    /// Ends the answer: what was held is released.
    pub fn finish(&mut self, out: &mut Vec<Chunk>) {
        let mut heard = Vec::new();
        self.scanner.finish(&mut heard);
        for chunk in heard {
            self.free(chunk, out);
        }
    }

    /// Calls of tools that take free text become whole ones with that text.
    fn free(&mut self, chunk: Chunk, out: &mut Vec<Chunk>) {
        match chunk {
            Chunk::Call(CallChunk::Start { key, id, name, .. }) if self.freeform.contains(&name) => {
                self.open.insert(key, Free { id, name, arguments: String::new() });
            }
            Chunk::Call(CallChunk::Delta { key, arguments }) if self.open.contains_key(&key) => {
                if let Some(call) = self.open.get_mut(&key) {
                    call.arguments.push_str(&arguments);
                }
            }
            Chunk::Call(CallChunk::End { key, arguments }) if self.open.contains_key(&key) => {
                let Some(mut call) = self.open.remove(&key) else { return };
                if let (true, Some(whole)) = (call.arguments.is_empty(), arguments) {
                    call.arguments = whole;
                }
                out.push(call.whole());
            }
            other => out.push(other),
        }
    }
}

impl Free {
    fn whole(self) -> Chunk {
        let arguments = Arguments::parse(self.arguments.as_str()).ok();
        let text =
            arguments.as_ref().and_then(|arguments| arguments.get(FREE_TEXT)?.as_str().map(str::to_owned));
        let body = match text {
            Some(input) => WholeCall::Payload(Payload::Custom { input }),
            // Not what was asked for; the check of the call says so to the model.
            None => WholeCall::Arguments(self.arguments),
        };
        Chunk::Call(CallChunk::Whole { id: self.id, name: self.name, body, opaque: None })
    }
}
