//! Deletion of old sessions.

use super::catalog::Sessions;
use super::page::{PageRequest, SessionPlace};
use super::record::{SessionRecord, SessionState};
use crate::error::Result;

/// Selection of the sessions that [`Sessions::prune`] deletes. A session that works or waits for an answer is never
/// deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prune {
    /// Deletes sessions that have not changed for this time in milliseconds.
    pub older_than_ms: Option<u64>,
    /// Deletes the oldest sessions until the run folders of all sessions need at most this number of bytes.
    pub max_bytes: Option<u64>,
    /// Only reports the sessions.
    pub is_dry_run: bool,
}

/// Number of sessions that are read at once.
const PAGE: usize = 500;

impl Sessions {
    /// Deletes old sessions, and returns them, the oldest first. Reads the sessions in pages, and without
    /// [`max_bytes`](Prune::max_bytes) only the ones that are old enough.
    ///
    /// # Errors
    ///
    /// Fails if the sessions cannot be read, or if one cannot be deleted.
    pub fn prune(&self, prune: Prune, now_ms: u64) -> Result<Vec<SessionRecord>> {
        let mut selected = self.select(prune, now_ms)?;
        selected.sort_by_key(|record| record.updated_ms);
        if !prune.is_dry_run {
            for record in &selected {
                self.delete_record(record)?;
            }
        }
        Ok(selected)
    }

    /// Selects the old sessions, and the oldest ones that do not fit beside newer ones.
    fn select(&self, prune: Prune, now_ms: u64) -> Result<Vec<SessionRecord>> {
        let mut selected = Vec::new();
        let mut request = PageRequest::new(PAGE);
        if prune.max_bytes.is_none() {
            let Some(most) = prune.older_than_ms else { return Ok(selected) };
            if most > 0 {
                let changed_ms = now_ms.saturating_sub(most).saturating_add(1);
                request = request.starting_after(SessionPlace { changed_ms, id: String::new() });
            }
        }
        let mut bytes = 0_u64;
        loop {
            // The first page begins with the newest session.
            let page = self.page(&request)?;
            for record in page.records {
                let age_ms = now_ms.saturating_sub(record.updated_ms);
                let is_old = prune.older_than_ms.is_some_and(|most| age_ms >= most);
                let is_prunable = is_prunable(&record);
                if is_old && is_prunable {
                    selected.push(record);
                } else if let Some(most) = prune.max_bytes {
                    bytes = bytes.saturating_add(self.size(&record));
                    if bytes > most && is_prunable {
                        selected.push(record);
                    }
                }
            }
            let Some(next) = page.next else { return Ok(selected) };
            request = request.starting_after(next);
        }
    }

    /// Returns the size of the run folders of a session in bytes.
    pub fn size(&self, record: &SessionRecord) -> u64 {
        let folders = record.runs.iter().filter_map(|run| self.app().find_run(&run.id).ok());
        folders.map(|folder| folder.size()).fold(0, u64::saturating_add)
    }
}

/// Returns true if pruning may delete a session.
fn is_prunable(record: &SessionRecord) -> bool {
    !record.state.is_active() && record.state != SessionState::Suspended
}
