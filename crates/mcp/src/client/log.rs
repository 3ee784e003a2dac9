//! The last log messages of a server, safe to display.
#![expect(deprecated, reason = "logging leaves MCP with 2026-07-28; the servers of today have it")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::LoggingMessageNotificationParam;
use windlass_hitl::display_safe;
use windlass_redact::Redactor;

/// Maximum number of stored lines, and maximum length of a line in bytes.
const LINES: usize = 200;
const LINE_BYTES: usize = 2_000;

/// A line of a server's log, with invisible characters escaped and known secrets redacted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogLine {
    /// The severity that the server gave: `debug` to `emergency`.
    pub level: String,
    /// The logger's name, if there is one, and the message.
    pub text: String,
}

/// The last lines of a server's log.
#[derive(Clone, Default)]
pub(crate) struct Log {
    lines: Arc<Mutex<VecDeque<LogLine>>>,
    redactor: Redactor,
}

impl Log {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self { lines: Arc::default(), redactor }
    }

    pub(crate) fn push(&self, said: &LoggingMessageNotificationParam) {
        let level = serde_json::to_value(said.level).ok();
        let level = level.as_ref().and_then(|level| level.as_str()).unwrap_or_default().to_owned();
        let whole = said.data.as_str().map_or_else(|| said.data.to_string(), ToOwned::to_owned);
        let clean = self.redactor.redact(&whole);
        let head = clean.get(..clean.floor_char_boundary(LINE_BYTES)).unwrap_or_default();
        let logger = said.logger.as_ref().map(|logger| format!("{}: ", display_safe(logger)));
        let text = format!("{}{}", logger.unwrap_or_default(), display_safe(head));
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= LINES {
            lines.pop_front();
        }
        lines.push_back(LogLine { level, text });
    }

    pub(crate) fn lines(&self) -> Vec<LogLine> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}
