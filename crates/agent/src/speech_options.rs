//! The options for protocols in which calls travel as text.

use windlass_protocol::ToolProtocol;
use windlass_text_calls::{Dialect, Speech, StructuredOutput};

/// The options for protocols in which calls travel as text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SpeechOptions {
    pub(crate) dialect: Option<Dialect>,
    pub(crate) output: StructuredOutput,
}

impl SpeechOptions {
    /// Returns the text form of a protocol; `None` for native calls.
    pub(crate) fn for_protocol(self, protocol: ToolProtocol) -> Option<Speech> {
        Speech::for_protocol(protocol, self.dialect.unwrap_or(Dialect::Roo), self.output)
    }
}
