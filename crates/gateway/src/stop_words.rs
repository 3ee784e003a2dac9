//! Translates the stop reasons of one format to those of another.

use windlass_protocol::StopReason;
use windlass_stream::Chunk;
use windlass_wire::Server;

use crate::refusal;

/// The conversion of an answer's stop reason.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StopWords {
    /// True if the client's format is not the model's.
    is_translated: bool,
    /// True if the client's format has no stop reason for a failure.
    errors_are_events: bool,
    /// True if the answer has a call.
    has_calls: bool,
}

impl StopWords {
    /// Creates the conversion from the format `from` of the model to the format `to` of the client.
    pub(crate) fn new(from: &str, to: &dyn Server) -> Self {
        Self {
            is_translated: from != to.name(),
            errors_are_events: !to.has_failure_reason(),
            has_calls: false,
        }
    }

    /// Replaces a stop reason that only the model's format has. Clients refuse reasons of another format, and stop
    /// running tools unless the reason is the one for tool calls.
    pub(crate) fn convert(&mut self, chunk: Chunk) -> Chunk {
        self.has_calls |= matches!(chunk, Chunk::Call(_));
        match chunk {
            Chunk::Finish { reason: StopReason::Unknown(_), .. } if self.is_translated => {
                let reason = if self.has_calls { StopReason::Calls } else { StopReason::End };
                Chunk::Finish { reason, raw: String::new() }
            }
            Chunk::Finish { reason: StopReason::Error, raw } if self.errors_are_events => {
                refusal::failure_chunk(&raw)
            }
            other => other,
        }
    }
}
