//! The process that runs now, and how often one may be started.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::ProcessError;
use super::connection::Connection;

/// So often may a process start within this time: once, and three times again.
const MOST_STARTS: usize = 4;
const STARTS_WITHIN: Duration = Duration::from_mins(1);

/// The process that runs now, and when it and those before it were started.
#[derive(Default)]
pub(crate) struct Life {
    pub(crate) connection: Option<Arc<Connection>>,
    starts: VecDeque<Instant>,
    pub(crate) last_end: String,
    pub(crate) has_listed: bool,
}

impl Life {
    /// Notes a start, if there may be one now.
    pub(crate) fn may_start(&mut self) -> Result<(), ProcessError> {
        let now = Instant::now();
        self.starts.retain(|start| now.duration_since(*start) < STARTS_WITHIN);
        if self.starts.len() >= MOST_STARTS {
            let first = self.starts.front().map_or(Duration::ZERO, |start| now.duration_since(*start));
            let wait = STARTS_WITHIN.saturating_sub(first);
            return Err(ProcessError::TooOften { wait, last: self.last_end.clone() });
        }
        self.starts.push_back(now);
        Ok(())
    }
}
