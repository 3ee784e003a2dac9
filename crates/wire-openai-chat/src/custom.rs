//! Calls with free text, kept until they are whole.

use windlass_protocol::{Payload, ToolName};
use windlass_stream::{CallChunk, WholeCall};

/// Whether the provider's word stands for the answer's being whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whole {
    Proven,
    Unproven,
}

/// A call with free text. The chunk vocabulary has no pieces of one, so it is kept until it is whole.
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
            // Free text does not show whether it was cut (RULES S10), and a bad name is no name: as a fragment
            // the call is judged by the assembler, like any other.
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
