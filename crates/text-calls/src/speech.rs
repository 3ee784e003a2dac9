//! Encoding of a conversation with tools as plain text, for a model without native tool calls, and decoding
//! of its answers.

mod answer;
mod detect;
mod history;
mod listener;

use windlass_protocol::{OutputFormat, ParallelCalls, Request, Role, ToolChoice, ToolProtocol, ToolSpec};

pub use self::detect::detect;
pub use self::history::SpokenHistory;
pub use self::listener::Listener;
use crate::{Dialect, catalogue};

/// The text encoding of calls and results (RULES P5): the syntax that the prompt prescribes, and the way
/// answers are parsed.
///
/// A request with tools becomes a request without: the tools move into the system prompt, calls and results
/// into the messages. The chunks of the answer pass through a [`Listener`], which emits the chunks of a
/// provider with native tool calls. The loop, the journal and the policy therefore see a single vocabulary.
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

/// The mechanism that forces a structured answer into its form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StructuredOutput {
    /// The provider enforces a JSON schema of the answer, which includes the tools.
    #[default]
    Schema,
    /// The provider enforces valid JSON; the prompt describes the form.
    Json,
    /// Only the prompt describes the form.
    Prompt,
}

impl Speech {
    /// Creates the encoding that writes calls into the text in this dialect.
    pub fn text(dialect: Dialect) -> Self {
        Self { dialect, output: StructuredOutput::Prompt }
    }

    /// Creates the encoding whose whole answer is one JSON object that contains the calls.
    pub fn new_structured(output: StructuredOutput) -> Self {
        Self { dialect: Dialect::Structured, output }
    }

    /// Returns the encoding for a protocol, or `None` for native calls.
    pub fn for_protocol(protocol: ToolProtocol, dialect: Dialect, output: StructuredOutput) -> Option<Self> {
        match protocol {
            ToolProtocol::Native => None,
            ToolProtocol::Structured => Some(Self::new_structured(output)),
            ToolProtocol::Text => Some(Self::text(dialect)),
        }
    }

    /// Returns the request rewritten for a model without tool calls. Without tools, only the calls and
    /// results in its messages change.
    ///
    /// Equal conversations give equal bytes, and a continued conversation starts with the bytes of the
    /// previous turn (RULES N6).
    pub fn request(&self, request: &Request) -> Request {
        self.request_onto(request, &mut SpokenHistory::default())
    }

    /// Like [`request`](Self::request), but encodes only the messages that `memory` does not hold from the
    /// previous turn. Messages of the previous turn are shared with it, so that they are not encoded again.
    pub fn request_onto(&self, request: &Request, memory: &mut SpokenHistory) -> Request {
        let tools: Vec<ToolSpec> = request.tools.iter().map(ToolSpec::as_function).collect();
        let mut spoken = request.clone();
        spoken.messages = memory.write_as_text(self.dialect, &request.messages);
        spoken.tools = Vec::new();
        spoken.earlier_preambles = Vec::new();
        spoken.options.tool_choice = ToolChoice::Auto;
        spoken.options.parallel_calls = ParallelCalls::ProviderDefault;
        if tools.is_empty() {
            return spoken;
        }
        let mut system = request.system.clone().unwrap_or_default();
        if !system.is_empty() {
            system.push_str("\n\n");
        }
        system.push_str(&catalogue(self.dialect, &tools));
        system.push_str(&describe_options(request));
        spoken.system = Some(system);
        match self.output {
            StructuredOutput::Schema => spoken.output = OutputFormat::Schema(answer::schema(&tools)),
            StructuredOutput::Json => spoken.output = OutputFormat::Json,
            StructuredOutput::Prompt => {}
        }
        spoken
    }

    /// Creates a listener for the answer to a request. Pass the original request, not the rewritten one.
    pub fn listener(&self, request: &Request) -> Listener {
        let answers = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
        Listener::new(self.dialect, request, answers)
    }

    /// Like [`listener`](Self::listener), but takes the number of previous answers from `memory`. Call it
    /// directly after [`request_onto`](Self::request_onto) of the same request.
    pub fn listener_after(&self, request: &Request, memory: &SpokenHistory) -> Listener {
        Listener::new(self.dialect, request, memory.answers)
    }
}

/// Returns the instructions that replace the request's `tool_choice` and `parallel_calls`.
fn describe_options(request: &Request) -> String {
    let mut text = match &request.options.tool_choice {
        ToolChoice::Auto => String::new(),
        ToolChoice::None => "\nDo not call any tool in this answer.\n".to_owned(),
        ToolChoice::Required => "\nCall at least one tool in this answer.\n".to_owned(),
        ToolChoice::Named(name) => format!("\nCall the tool `{name}` in this answer.\n"),
    };
    if request.options.parallel_calls == ParallelCalls::Forbid {
        text.push_str("\nCall one tool at the most in each answer.\n");
    }
    text
}
