//! Free-text calls, buffered until they are complete.

use windlass_protocol::{Payload, ToolName};
use windlass_stream::{CallChunk, WholeCall};

/// Proof that the provider sent the whole answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whole {
    Proven,
    Unproven,
}

/// A free-text call under construction. Chunks cannot carry fragments of free text, so the call is buffered
/// until it is complete.
#[derive(Debug)]
pub(crate) struct CustomCall {
    pub(crate) slot: u64,
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) input: String,
}

impl CustomCall {
    pub(crate) fn into_chunk(self, whole: Whole) -> CallChunk {
        let Self { slot, id, name, input } = self;
        match (whole, ToolName::new(name.as_str())) {
            (Whole::Proven, Ok(_)) => {
                let body = WholeCall::Payload(Payload::Custom { input });
                CallChunk::Whole { id, name, body, opaque: None }
            }
            // Free text itself does not show that it was cut (RULES S10), and a name can be invalid. Emit the
            // call as a fragment, so that the assembler decides about it like any other call.
            _ => CallChunk::Partial {
                index: None,
                position: slot,
                id,
                name: Some(name),
                arguments: Some(input),
                opaque: None,
            },
        }
    }
}
