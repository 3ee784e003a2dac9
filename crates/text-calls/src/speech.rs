//! A conversation with tools put into words, for a model that has no tool calls of its own, and its answers heard.

mod answer;
mod detect;
mod history;
mod listener;

use windlass_protocol::{OutputFormat, ParallelCalls, Request, Role, ToolChoice, ToolProtocol, ToolSpec};

pub use self::detect::detect;
pub use self::history::SpokenHistory;
pub use self::listener::Listener;
use crate::{Dialect, catalogue};

/// How calls and results travel as words (RULES P5): which form the model is told, and how its answers are read.
///
/// A request with tools becomes one without: the tools stand in the system prompt, calls and results in the
/// messages. The answer's chunks go through a [`Listener`] and come out as those of a provider with tool calls. So
/// everything between, the loop, the journal, the policy, sees one vocabulary only.
///
/// ```
/// use windlass_protocol::{Message, Request, StopReason, ToolName, ToolSpec};
/// use windlass_stream::{CallChunk, Chunk};
/// use windlass_text_calls::{Dialect, Speech};
///
/// let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#.parse()?;
/// let tool = ToolSpec::function(ToolName::new("read_file")?, "Reads a file.", schema);
/// let asked = Request::new("small-1", vec![Message::user("what is in a.txt?")]).with_tools(vec![tool]);
///
/// let speech = Speech::text(Dialect::Roo);
/// let told = speech.request(&asked);
/// assert!(told.tools.is_empty() && told.system.unwrap().contains("<read_file>"));
///
/// let (mut listener, mut heard) = (speech.listener(&asked), Vec::new());
/// listener.push(Chunk::text("<read_file>\n<path>a.txt</path>\n</read_file>"), &mut heard);
/// listener.push(Chunk::Finish { reason: StopReason::End, raw: "stop".into() }, &mut heard);
/// listener.finish(&mut heard);
/// assert!(matches!(&heard[0], Chunk::Call(CallChunk::Start { name, .. }) if name == "read_file"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speech {
    dialect: Dialect,
    output: StructuredOutput,
}

/// What holds a structured answer to its form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StructuredOutput {
    /// The provider, by a JSON schema of the answer with the tools in it.
    #[default]
    Schema,
    /// The provider, to JSON of any form; the form stands in the prompt.
    Json,
    /// Nothing but the prompt.
    Prompt,
}

impl Speech {
    /// Calls written into the text, in this dialect.
    pub fn text(dialect: Dialect) -> Self {
        Self { dialect, output: StructuredOutput::Prompt }
    }

    /// The whole answer as one JSON object with calls in it.
    pub fn structured(output: StructuredOutput) -> Self {
        Self { dialect: Dialect::Structured, output }
    }

    /// The speech of a protocol; none for native calls, which need none.
    pub fn of(protocol: ToolProtocol, dialect: Dialect, output: StructuredOutput) -> Option<Self> {
        match protocol {
            ToolProtocol::Native => None,
            ToolProtocol::Structured => Some(Self::structured(output)),
            ToolProtocol::Text => Some(Self::text(dialect)),
        }
    }

    /// The same request for a model without tool calls. A request without tools keeps its form, but for the calls
    /// and results in its messages.
    ///
    /// The same conversation gives the same bytes, and one that goes on begins with the bytes of the turn before
    /// (RULES N6).
    pub fn request(&self, request: &Request) -> Request {
        self.request_onto(request, &mut SpokenHistory::default())
    }

    /// Returns what [`request`](Self::request) returns, but puts only those messages into words that `memory` does not
    /// have from the turn before. Messages of the turn before are shared with it, so that they are not encoded again.
    pub fn request_onto(&self, request: &Request, memory: &mut SpokenHistory) -> Request {
        let tools: Vec<ToolSpec> = request.tools.iter().map(ToolSpec::as_function).collect();
        let mut spoken = request.clone();
        spoken.messages = memory.spoken(self.dialect, &request.messages);
        spoken.tools = Vec::new();
        spoken.tool_choice = ToolChoice::Auto;
        spoken.parallel_calls = ParallelCalls::ProviderDefault;
        if tools.is_empty() {
            return spoken;
        }
        let mut system = request.system.clone().unwrap_or_default();
        if !system.is_empty() {
            system.push_str("\n\n");
        }
        system.push_str(&catalogue(self.dialect, &tools));
        system.push_str(&wishes(request));
        spoken.system = Some(system);
        match self.output {
            StructuredOutput::Schema => spoken.output = OutputFormat::Schema(answer::schema(&tools)),
            StructuredOutput::Json => spoken.output = OutputFormat::Json,
            StructuredOutput::Prompt => {}
        }
        spoken
    }

    /// Begins to listen to the answer to a request, as it was before it was put into words.
    pub fn listener(&self, request: &Request) -> Listener {
        let answers = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
        Listener::new(self.dialect, request, answers)
    }

    /// Begins to listen like [`listener`](Self::listener), right after [`request_onto`](Self::request_onto) of the same
    /// request, whose memory knows how many answers there were.
    pub fn listener_after(&self, request: &Request, memory: &SpokenHistory) -> Listener {
        Listener::new(self.dialect, request, memory.answers)
    }
}

/// What the request's switches ask for, in words.
fn wishes(request: &Request) -> String {
    let mut text = match &request.tool_choice {
        ToolChoice::Auto => String::new(),
        ToolChoice::None => "\nDo not call any tool in this answer.\n".to_owned(),
        ToolChoice::Required => "\nCall at least one tool in this answer.\n".to_owned(),
        ToolChoice::Named(name) => format!("\nCall the tool `{name}` in this answer.\n"),
    };
    if request.parallel_calls == ParallelCalls::Forbid {
        text.push_str("\nCall one tool at the most in each answer.\n");
    }
    text
}
