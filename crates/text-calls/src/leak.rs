//! Calls that a model with native tool calling wrote as text by mistake (RULES X5).

use windlass_protocol::{Arguments, ToolSpec};
use windlass_stream::{CallChunk, Chunk};

use crate::{Options, Scanner};

/// What was found in the words of an answer in native mode.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Leak {
    /// No call was written as text.
    None,
    /// Every call that was written can be taken as if it had come natively: these are the chunks.
    Calls(Vec<Chunk>),
    /// A call was written and cannot be taken; this tells the model what to do.
    Nudge(String),
}

/// Whether the answer also had calls in the provider's own form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there were some or there were none")]
pub enum NativeCalls {
    /// It had none.
    None,
    /// It had some.
    Some,
}

/// Looks for calls that were written as text where they should have come natively. Nothing looks for them unless
/// it is asked to.
///
/// A leaked call is taken only if no native call came, its tool is on offer, its arguments pass the whole schema,
/// and it does not stand in code. What checks the schema is the caller's, `windlass-schema` as a rule.
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
    options: Options,
}

/// A call that was found, with its arguments if they are whole.
struct Found {
    name: String,
    arguments: Option<Arguments>,
}

impl LeakDetector {
    /// A detector for the tools on offer.
    pub fn new(specs: impl IntoIterator<Item = ToolSpec>) -> Self {
        Self { options: Options::default().with_id_prefix("leaked").with_tools(specs) }
    }

    /// The same detector with another beginning of the ids that it makes (RULES X4).
    pub fn with_id_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.options = self.options.with_id_prefix(prefix);
        self
    }

    /// Looks at all the words of one answer. `check` holds a tool's arguments against its schema and says what
    /// is wrong with them.
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
        if let (_, found) = scan(&self.options, &without_fences(text))
            && let Some(call) = found.first()
        {
            return nudge(&call.name, "it was not run, because it stands in code");
        }
        let (_, found) = scan(&self.options.clone().with_any_tool(), text);
        match found.first() {
            Some(call) => nudge(&call.name, "there is no tool of this name"),
            None => Leak::None,
        }
    }
}

/// Why a call cannot be taken.
fn refusal(call: &Found, check: impl Fn(&str, &Arguments) -> Result<(), String>) -> Option<Leak> {
    let Some(arguments) = &call.arguments else {
        return Some(nudge(&call.name, "it was not run, because its arguments are not whole"));
    };
    let why = check(&call.name, arguments).err()?;
    Some(nudge(&call.name, &format!("it was not run, because {why}")))
}

fn nudge(name: &str, why: &str) -> Leak {
    // The name is the model's own word; a long one helps nobody.
    let name: String = name.chars().take(64).collect();
    Leak::Nudge(format!(
        "Your answer holds a call of `{name}` written as text; {why}. Use the tool calling of this API, \
         not text, to call tools."
    ))
}

fn scan(options: &Options, text: &str) -> (Vec<Chunk>, Vec<Found>) {
    let mut scanner = Scanner::new(options.clone());
    let mut chunks = Vec::new();
    scanner.push(text, &mut chunks);
    scanner.finish(&mut chunks);
    let mut calls: Vec<(Found, String)> = Vec::new();
    for chunk in &chunks {
        match (chunk, calls.last_mut()) {
            (Chunk::Call(CallChunk::Start { name, .. }), _) => {
                calls.push((Found { name: name.clone(), arguments: None }, String::new()));
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

/// The text with its fences and backticks gone, so that what stands in code is seen too.
fn without_fences(text: &str) -> String {
    let lines = text.lines().filter(|line| {
        let line = line.trim_start();
        !line.starts_with("```") && !line.starts_with("~~~")
    });
    lines.map(|line| line.replace('`', "")).collect::<Vec<_>>().join("\n")
}
