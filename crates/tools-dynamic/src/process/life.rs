//! The current connection, and the limit on restarts.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::ProcessError;
use super::connection::Connection;

/// Maximum number of starts within this time: the first and three restarts.
const MOST_STARTS: usize = 4;
const STARTS_WITHIN: Duration = Duration::from_mins(1);

/// The current connection, and the times of recent starts.
#[derive(Default)]
pub(crate) struct Life {
    pub(crate) connection: Option<Arc<Connection>>,
    starts: VecDeque<Instant>,
    pub(crate) last_end: String,
    pub(crate) has_listed: bool,
}

impl Life {
    /// Records a start, or fails if the limit is reached.
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
