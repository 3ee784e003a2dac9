//! The usage and the end of a message.

use serde_json::Value;
use serde_json::value::RawValue;
use windlass_protocol::Usage;
use windlass_stream::Chunk;

use crate::error::stream_error;
use crate::programs;
use crate::stop::stop_reason;
use crate::usage::WireUsage;

/// The usage of a message, and its progress from its start to its end.
#[derive(Debug, Default)]
pub(crate) struct MessageState {
    usage: WireUsage,
    /// The usage of the last chunk.
    sent: Usage,
    has_begun: bool,
    /// True if the message has a stop reason.
    has_stopped: bool,
    has_failed: bool,
    /// The container of the message's programs.
    container: Option<Value>,
}

impl MessageState {
    /// Begins a message, possibly after another one.
    pub(crate) fn begin(&mut self) {
        self.has_begun = true;
        self.has_stopped = false;
        self.container = None;
    }

    /// Notes content of a message, whose start may have been lost.
    pub(crate) fn mark_begun(&mut self) {
        self.has_begun = true;
    }

    /// Updates the usage, and pushes it if it has changed.
    pub(crate) fn count(&mut self, usage: Option<WireUsage>, chunks: &mut Vec<Chunk>) {
        let Some(usage) = usage else { return };
        self.usage.update(usage);
        let usage = self.usage.to_usage();
        if usage != self.sent {
            self.sent = usage;
            chunks.push(Chunk::Usage { usage });
        }
    }

    /// Pushes the container, which a message can name at its start and at its end.
    pub(crate) fn keep_container(&mut self, raw: Option<&RawValue>, chunks: &mut Vec<Chunk>) {
        let Some(container) = raw.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok()) else {
            return;
        };
        if self.container.as_ref() != Some(&container) {
            chunks.extend(programs::keep_container(&container).map(Chunk::Unknown));
            self.container = Some(container);
        }
    }

    /// Pushes the stop reason.
    pub(crate) fn stop(&mut self, raw: &str, chunks: &mut Vec<Chunk>) {
        self.has_stopped = true;
        chunks.push(Chunk::Finish { reason: stop_reason(raw), raw: raw.to_owned() });
    }

    /// Pushes the error that the server sent in place of the rest.
    pub(crate) fn fail(&mut self, error: Option<&RawValue>, chunks: &mut Vec<Chunk>) {
        self.has_failed = true;
        let value = error.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or(Value::Null);
        chunks.push(Chunk::Error { error: stream_error(&value) });
    }

    /// Ends the message. If the server sent no stop reason, the answer ended normally.
    pub(crate) fn end(&mut self, chunks: &mut Vec<Chunk>) {
        if self.has_begun && !self.has_stopped && !self.has_failed {
            self.stop("", chunks);
        }
    }
}
