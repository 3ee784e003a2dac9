//! The scanner: parses text into chunks.

mod opening;
mod thoughts;

use windlass_stream::Chunk;

use self::opening::{Forms, Opening};
use crate::emit::{Ledger, Sink};
use crate::form::Form;
use crate::prose::{FirstBytes, Prose};
use crate::reader::{Input, Progress, Reader};
use crate::tools::Tools;
use crate::{CallsInReasoning, Coercion, LimitError, Reasoning, TextCallOptions};

/// Parses the text of one message into chunks: text, reasoning and calls.
///
/// Text goes in as it arrives. The chunks are those that a provider's native format would give: text, and
/// calls with growing arguments. The result does not depend on how the text is split (RULES S14).
///
/// ```
/// use windlass_protocol::{ToolName, ToolSpec};
/// use windlass_stream::{CallChunk, Chunk};
/// use windlass_text_calls::{Dialect, TextCallOptions, Scanner};
///
/// let schema = r#"{"type":"object","properties":{"path":{"type":"string"}}}"#.parse()?;
/// let spec = ToolSpec::function(ToolName::new("read_file")?, "Reads a file.", schema);
/// let mut scanner = Scanner::new(TextCallOptions::default().with_dialect(Dialect::Roo).with_tools([spec]));
/// let mut chunks = Vec::new();
/// scanner.push("I look. <read_", &mut chunks);
/// assert_eq!(chunks, [Chunk::text("I look. ")]);
/// scanner.push("file><path>src/li", &mut chunks);
/// assert!(matches!(&chunks[1], Chunk::Call(CallChunk::Start { name, .. }) if name == "read_file"));
/// assert!(matches!(&chunks[2], Chunk::Call(CallChunk::Delta { arguments, .. }) if arguments == r#"{"path":"src/li"#));
/// scanner.push("b.rs</path></read_file>", &mut chunks);
/// scanner.finish(&mut chunks);
/// assert!(matches!(chunks.last(), Some(Chunk::Call(CallChunk::End { .. }))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Scanner {
    tools: Tools,
    reasoning: Reasoning,
    calls_in_reasoning: CallsInReasoning,
    forms: Forms,
    prose: Prose,
    state: State,
    /// Text that may still turn out to be something other than text.
    held: String,
    ledger: Ledger,
}

#[derive(Debug)]
enum State {
    Prose,
    /// In thoughts, until a closing mark of one of these forms.
    Thoughts {
        closes: &'static [Form],
        fresh: bool,
    },
    Call(Reader, &'static [&'static str]),
    /// After a call, before any other text.
    After(&'static [&'static str]),
}

/// The progress of one step.
enum Flow {
    /// Consumed this many bytes; there may be more to do.
    On(usize),
    /// Consumed this many bytes; the rest is held until more text arrives.
    Wait(usize),
}

/// Maximum white space that is held after a call or at the beginning of thoughts, in bytes.
pub(crate) const SPACE: usize = 1024;

impl Scanner {
    /// Creates a scanner for one message.
    pub fn new(options: TextCallOptions) -> Self {
        let tools = Tools::new(&options.tools);
        let forms = Forms::new(options.dialect, &tools);
        let mut bytes = FirstBytes::new();
        forms.bytes().for_each(|byte| bytes.add(byte));
        let state = if options.reasoning == Reasoning::SplitOpened {
            State::Thoughts { closes: options.dialect.thoughts(), fresh: true }
        } else {
            State::Prose
        };
        Self {
            tools,
            reasoning: options.reasoning,
            calls_in_reasoning: options.calls_in_reasoning,
            forms,
            prose: Prose::new(bytes),
            state,
            held: String::new(),
            ledger: Ledger::new(options.id_prefix, options.limits),
        }
    }

    /// Parses the next text and appends the resulting chunks to `out`.
    pub fn push(&mut self, text: &str, out: &mut Vec<Chunk>) {
        if self.held.is_empty() {
            let used = self.run(text, false, out);
            self.held.push_str(text.get(used..).unwrap_or_default());
            return;
        }
        let mut whole = std::mem::take(&mut self.held);
        whole.push_str(text);
        let used = self.run(&whole, false, out);
        whole.drain(..used.min(whole.len()));
        self.held = whole;
    }

    /// Processes the next chunk of a provider's stream. Text chunks are parsed; all other chunks pass through
    /// in order. A finish or error chunk first ends the text.
    pub fn push_chunk(&mut self, chunk: Chunk, out: &mut Vec<Chunk>) {
        match chunk {
            Chunk::Text { text } => self.push(&text, out),
            Chunk::Finish { .. } | Chunk::Error { .. } => {
                self.finish(out);
                out.push(chunk);
            }
            Chunk::Call(_) | Chunk::Reasoning { .. } => {
                // A native chunk interrupts the text, so a held beginning of a mark is text.
                if matches!(self.state, State::Prose) {
                    let held = std::mem::take(&mut self.held);
                    self.sink(out).text(&held);
                    self.prose.pass_unexamined(&held);
                }
                out.push(chunk);
            }
            _ => out.push(chunk),
        }
    }

    /// Ends the text and emits the held text. A truncated call stays without an end, so the assembler does
    /// not run it (RULES S10, X3). Further calls do nothing.
    pub fn finish(&mut self, out: &mut Vec<Chunk>) {
        let held = std::mem::take(&mut self.held);
        let used = self.run(&held, true, out);
        let rest = held.get(used..).unwrap_or_default();
        match std::mem::replace(&mut self.state, State::Prose) {
            State::Prose => self.sink(out).text(rest),
            State::Thoughts { fresh, .. } => {
                self.think(rest, out);
                if self.reasoning != Reasoning::Keep && !fresh {
                    self.sink(out).end_reasoning();
                }
            }
            State::Call(reader, _) => {
                let held = reader.into_held();
                self.sink(out).text(&held);
            }
            State::After(_) => {}
        }
    }

    /// Returns the number of calls that have started.
    pub fn calls(&self) -> usize {
        self.ledger.calls()
    }

    /// Returns the first limit that the text exceeded.
    pub fn limit_error(&self) -> Option<LimitError> {
        self.ledger.limit_error()
    }

    /// Returns the arguments that were converted to another type than a string, or could not be.
    pub fn coercions(&self) -> &[Coercion] {
        self.ledger.coercions()
    }

    /// Returns the value of `needsMoreWork` in a structured answer, if it had one.
    pub fn needs_more_work(&self) -> Option<bool> {
        self.ledger.needs_more_work
    }

    fn sink<'a>(&'a mut self, out: &'a mut Vec<Chunk>) -> Sink<'a> {
        Sink { out, ledger: &mut self.ledger }
    }

    /// Processes text and returns the number of bytes that are consumed.
    fn run(&mut self, text: &str, ended: bool, out: &mut Vec<Chunk>) -> usize {
        let mut at = 0;
        while at < text.len() {
            let rest = text.get(at..).unwrap_or_default();
            let flow = match &self.state {
                State::Prose => self.prose(rest, ended, out),
                State::Thoughts { .. } => self.thoughts(rest, ended, out),
                State::Call(..) => self.call(rest, ended, out),
                State::After(_) => self.read_after_call(rest, ended, out),
            };
            match flow {
                Flow::On(used) => at = at.saturating_add(used),
                Flow::Wait(used) => return at.saturating_add(used),
            }
        }
        at
    }

    fn prose(&mut self, rest: &str, ended: bool, out: &mut Vec<Chunk>) -> Flow {
        let mut from = 0;
        while let Some(spot) = self.prose.next(rest, from) {
            let here = rest.get(spot.at..).unwrap_or_default();
            let before = rest.get(..spot.at).unwrap_or_default();
            match opening::open(self, here, spot, ended) {
                Opening::Maybe => {
                    self.speak(before, out);
                    return Flow::Wait(spot.at);
                }
                Opening::Yes(_, form, found) => {
                    self.speak(before, out);
                    let source = here.get(..found.used).unwrap_or_default();
                    opening::begin(self, form, (found.name, source), out);
                    return Flow::On(spot.at.saturating_add(found.used));
                }
                Opening::No => {}
            }
            let Some(turned) = self.prose.turn(rest, spot, ended) else {
                self.speak(before, out);
                return Flow::Wait(spot.at);
            };
            from = spot.at.saturating_add(turned.max(1));
            while !rest.is_char_boundary(from) {
                from = from.saturating_add(1);
            }
        }
        self.speak(rest, out);
        Flow::On(rest.len())
    }

    fn speak(&mut self, words: &str, out: &mut Vec<Chunk>) {
        self.sink(out).text(words);
        if !words.is_empty() {
            self.prose.pass_examined(words);
        }
    }

    fn call(&mut self, rest: &str, ended: bool, out: &mut Vec<Chunk>) -> Flow {
        let State::Call(reader, closers) = &mut self.state else { return Flow::On(0) };
        let closers = *closers;
        let input = Input { text: rest, ended, tools: &self.tools };
        let mut sink = Sink { out, ledger: &mut self.ledger };
        match reader.read(input, &mut sink) {
            Progress::More(used) => Flow::Wait(used),
            Progress::Done(used) => {
                self.state = State::After(closers);
                Flow::On(used)
            }
            Progress::Release(used, held) => {
                self.state = State::Prose;
                self.sink(out).text(&held);
                self.prose.pass_unexamined(&held);
                Flow::On(used)
            }
        }
    }

    /// Processes the text after a call. White space and closing marks belong to the call; white space before
    /// prose belongs to the prose.
    fn read_after_call(&mut self, rest: &str, ended: bool, out: &mut Vec<Chunk>) -> Flow {
        let State::After(closers) = self.state else { return Flow::On(0) };
        let next = rest.trim_ascii_start();
        let spaces = rest.len().saturating_sub(next.len());
        if spaces > SPACE {
            self.state = State::Prose;
            return Flow::On(0);
        }
        if next.is_empty() {
            return if ended { Flow::On(rest.len()) } else { Flow::Wait(0) };
        }
        let mut waits = false;
        for (at, closer) in closers.iter().enumerate() {
            if next.starts_with(closer) {
                // Each mark closes once, and the marks before it cannot follow any more.
                self.state = State::After(closers.get(at.saturating_add(1)..).unwrap_or_default());
                return Flow::On(spaces.saturating_add(closer.len()));
            }
            waits |= closer.starts_with(next);
        }
        self.prose.begin_line();
        let spot = opening::spot_after_call();
        match opening::open(self, next, spot, ended) {
            Opening::Maybe => return Flow::Wait(0),
            Opening::Yes(_, form, found) => {
                let source = next.get(..found.used).unwrap_or_default();
                opening::begin(self, form, (found.name, source), out);
                return Flow::On(spaces.saturating_add(found.used));
            }
            Opening::No => {}
        }
        if waits && !ended {
            return Flow::Wait(0);
        }
        self.state = State::Prose;
        self.speak(rest.get(..spaces).unwrap_or_default(), out);
        Flow::On(spaces)
    }
}
