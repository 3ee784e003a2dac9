//! Detection of calls that a model with native tool calling wrote as text by mistake (RULES X5).

use windlass_protocol::{Arguments, ToolSpec};
use windlass_stream::{CallChunk, Chunk};

use crate::{Scanner, TextCallOptions};

/// The result of searching an answer of native mode for leaked calls.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Leak {
    /// The text contains no call.
    None,
    /// Every call in the text is acceptable as if it were native; these are its chunks.
    Calls(Vec<Chunk>),
    /// The text contains a call that cannot be accepted. The message asks the model to correct it.
    Nudge(String),
}

/// The presence of calls in the provider's native form in the same answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there were some or there were none")]
pub enum NativeCalls {
    /// It contained no native calls.
    None,
    /// It contained native calls.
    Some,
}

/// Searches the text of an answer for calls that should have been native. Detection is opt-in.
///
/// A leaked call is accepted only if the answer has no native call, its tool is offered, its arguments
/// satisfy the whole schema, and it is not inside code. The caller supplies the schema check, usually
/// `windlass-schema`.
///
/// ```
/// use windlass_protocol::{Arguments, ToolName, ToolSpec};
/// use windlass_text_calls::{Leak, LeakDetector, NativeCalls};
/// let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#.parse()?;
/// let detector = LeakDetector::new([ToolSpec::function(ToolName::new("read_file")?, "", schema)]);
/// let check = |_: &str, arguments: &Arguments| match arguments.get("path") {
///     Some(path) if path.is_string() => Ok(()),
///     _ => Err("path: a string is wanted".to_owned()),
/// };
/// let text = "<read_file><path>a</path></read_file>";
/// assert!(matches!(detector.look(text, NativeCalls::None, check), Leak::Calls(_)));
/// assert!(matches!(detector.look(text, NativeCalls::Some, check), Leak::Nudge(_)));
/// assert_eq!(detector.look("I read it.", NativeCalls::None, check), Leak::None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LeakDetector {
    options: TextCallOptions,
}

/// A call that was found, with its arguments if they are complete.
struct FoundCall {
    name: String,
    arguments: Option<Arguments>,
}

impl LeakDetector {
    /// Creates a detector for the offered tools.
    pub fn new(specs: impl IntoIterator<Item = ToolSpec>) -> Self {
        Self { options: TextCallOptions::default().with_id_prefix("leaked").with_tools(specs) }
    }

    /// Sets the prefix of the ids that the detector assigns (RULES X4).
    pub fn with_id_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.options = self.options.with_id_prefix(prefix);
        self
    }

    /// Searches the whole text of one answer. `check` validates arguments against the schema of the named
    /// tool and returns the reason for a rejection.
    pub fn look(
        &self,
        text: &str,
        native: NativeCalls,
        check: impl Fn(&str, &Arguments) -> Result<(), String>,
    ) -> Leak {
        let (chunks, found) = scan(&self.options, text);
        if let Some(call) = found.first() {
            if native == NativeCalls::Some {
                return nudge(
                    &call.name,
                    "it was not run, because the answer also has calls of the proper form",
                );
            }
            return found.iter().find_map(|call| refusal(call, &check)).unwrap_or(Leak::Calls(chunks));
        }
        if let (_, found) = scan(&self.options, &strip_fences(text))
            && let Some(call) = found.first()
        {
            return nudge(&call.name, "it was not run, because it is inside code");
        }
        let (_, found) = scan(&self.options.clone().with_any_tool(), text);
        match found.first() {
            Some(call) => nudge(&call.name, "no tool has this name"),
            None => Leak::None,
        }
    }
}

/// Returns the message for a call that cannot be accepted, or `None` if it can.
fn refusal(call: &FoundCall, check: impl Fn(&str, &Arguments) -> Result<(), String>) -> Option<Leak> {
    let Some(arguments) = &call.arguments else {
        return Some(nudge(&call.name, "it was not run, because its arguments are incomplete"));
    };
    let why = check(&call.name, arguments).err()?;
    Some(nudge(&call.name, &format!("it was not run, because {why}")))
}

fn nudge(name: &str, why: &str) -> Leak {
    // The model chose the name; cut it so that the message stays short.
    let name: String = name.chars().take(64).collect();
    Leak::Nudge(format!(
        "Your answer holds a call of `{name}` written as text; {why}. Use the tool calling of this API, \
         not text, to call tools."
    ))
}

fn scan(options: &TextCallOptions, text: &str) -> (Vec<Chunk>, Vec<FoundCall>) {
    let mut scanner = Scanner::new(options.clone());
    let mut chunks = Vec::new();
    scanner.push(text, &mut chunks);
    scanner.finish(&mut chunks);
    let mut calls: Vec<(FoundCall, String)> = Vec::new();
    for chunk in &chunks {
        match (chunk, calls.last_mut()) {
            (Chunk::Call(CallChunk::Start { name, .. }), _) => {
                calls.push((FoundCall { name: name.clone(), arguments: None }, String::new()));
            }
            (Chunk::Call(CallChunk::Delta { arguments, .. }), Some((_, json))) => json.push_str(arguments),
            (Chunk::Call(CallChunk::End { .. }), Some((call, json))) => {
                call.arguments = Arguments::parse(json.as_str()).ok();
            }
            _ => {}
        }
    }
    (chunks, calls.into_iter().map(|(call, _)| call).collect())
}

/// Returns the text without fences and backticks, to find calls inside code.
fn strip_fences(text: &str) -> String {
    let lines = text.lines().filter(|line| {
        let line = line.trim_start();
        !line.starts_with("```") && !line.starts_with("~~~")
    });
    lines.map(|line| line.replace('`', "")).collect::<Vec<_>>().join("\n")
}
