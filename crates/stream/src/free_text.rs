//! Conversion of function calls back into free-text calls.

use std::collections::{BTreeMap, BTreeSet};

use windlass_protocol::{Arguments, Opaque, Payload, ToolSpec};

use crate::{CallChunk, CallKey, Chunk, WholeCall};

/// Converts calls of functions that replace free-text tools (`ToolSpec::as_function`) back into free-text
/// calls. All other chunks are forwarded unchanged. Used for models and formats that only support functions.
///
/// ```
/// use windlass_protocol::{Payload, ToolName, ToolSpec};
/// use windlass_stream::{CallChunk, Chunk, FreeText, WholeCall};
/// let patch = ToolSpec::Freeform { name: ToolName::new("patch")?, description: "Patches.".into(), grammar: None };
/// let (mut free, mut chunks) = (FreeText::for_tools(&[patch]), Vec::new());
/// let body = WholeCall::Arguments(r#"{"input":"*** Begin"}"#.into());
/// free.push(Chunk::Call(CallChunk::Whole { id: None, name: "patch".into(), body, opaque: None }), &mut chunks);
/// let expected = WholeCall::Payload(Payload::Custom { input: "*** Begin".into() });
/// assert!(matches!(&chunks[0], Chunk::Call(CallChunk::Whole { body, .. }) if *body == expected));
/// # Ok::<(), windlass_protocol::NameError>(())
/// ```
#[derive(Debug, Default)]
pub struct FreeText {
    tools: BTreeSet<String>,
    open: BTreeMap<CallKey, Open>,
}

/// A call that is buffered until it is complete.
#[derive(Debug)]
struct Open {
    id: Option<String>,
    name: String,
    arguments: String,
    opaque: Option<Opaque>,
}

impl FreeText {
    /// Creates a converter for the free-text tools among `tools`.
    pub fn for_tools(tools: &[ToolSpec]) -> Self {
        Self::diff(tools, &[])
    }

    /// Creates a converter for the free-text tools among `tools` that are not in `sent` unchanged.
    pub fn diff(tools: &[ToolSpec], sent: &[ToolSpec]) -> Self {
        let is_free = |tool: &&ToolSpec| matches!(tool, ToolSpec::Freeform { .. });
        let free = tools.iter().filter(is_free).filter(|tool| !sent.contains(tool));
        Self { tools: free.map(|tool| tool.name().as_str().to_owned()).collect(), open: BTreeMap::new() }
    }

    /// Returns whether all chunks are forwarded unchanged.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Releases buffered calls without an end, as a `Start` and a `Delta`.
    pub fn finish(&mut self, out: &mut Vec<Chunk>) {
        for (key, Open { id, name, arguments, opaque }) in std::mem::take(&mut self.open) {
            out.push(Chunk::Call(CallChunk::Start { key, id, name, opaque }));
            out.push(Chunk::Call(CallChunk::Delta { key, arguments }));
        }
    }

    /// Processes the next chunk and appends the result to `out`. Calls must arrive as `Start`, `Delta`,
    /// `End`, or as `Whole`.
    pub fn push(&mut self, chunk: Chunk, out: &mut Vec<Chunk>) {
        match chunk {
            Chunk::Call(CallChunk::Start { key, id, name, opaque }) if self.tools.contains(&name) => {
                self.open.insert(key, Open { id, name, arguments: String::new(), opaque });
            }
            Chunk::Call(CallChunk::Delta { key, arguments }) => match self.open.get_mut(&key) {
                Some(call) => call.arguments.push_str(&arguments),
                None => out.push(Chunk::Call(CallChunk::Delta { key, arguments })),
            },
            Chunk::Call(CallChunk::End { key, arguments }) => match self.open.remove(&key) {
                Some(mut call) => {
                    if let (true, Some(whole)) = (call.arguments.is_empty(), arguments) {
                        call.arguments = whole;
                    }
                    out.push(call.whole());
                }
                None => out.push(Chunk::Call(CallChunk::End { key, arguments })),
            },
            Chunk::Call(CallChunk::Whole { id, name, body: WholeCall::Arguments(arguments), opaque })
                if self.tools.contains(&name) =>
            {
                out.push(Open { id, name, arguments, opaque }.whole());
            }
            // A call that the end of the answer truncates is still forwarded (RULES S8).
            end @ (Chunk::Finish { .. } | Chunk::Error { .. }) => {
                self.finish(out);
                out.push(end);
            }
            other => out.push(other),
        }
    }
}

impl Open {
    fn whole(self) -> Chunk {
        let payload = Arguments::parse(self.arguments.as_str()).ok();
        let body = match payload.as_ref().and_then(Payload::from_arguments) {
            Some(payload) => WholeCall::Payload(payload),
            // The arguments do not have the expected form; validation of the call reports that to the model.
            None => WholeCall::Arguments(self.arguments),
        };
        Chunk::Call(CallChunk::Whole { id: self.id, name: self.name, body, opaque: self.opaque })
    }
}
