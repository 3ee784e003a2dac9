//! The records of sessions in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{MutexGuard, PoisonError};

use windlass_protocol::RawJson;

use super::MemoryStore;
use crate::name::check_plain;
use crate::{SessionChange, SessionRecords, SessionRow, StateCount, StoreError};

/// The newest change of a session.
#[derive(Debug)]
pub(super) struct StoredSession {
    version: u64,
    /// The row, or `None` if it was removed.
    row: Option<SessionRow>,
}

impl MemoryStore {
    fn lock_sessions(&self) -> MutexGuard<'_, BTreeMap<String, StoredSession>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change_session(&self, id: &str, row: Option<SessionRow>) -> Result<u64, StoreError> {
        check_plain(id)?;
        let mut sessions = self.lock_sessions();
        let newest = sessions.values().map(|change| change.version).max().unwrap_or_default();
        let version = newest.saturating_add(1);
        sessions.insert(id.to_owned(), StoredSession { version, row });
        Ok(version)
    }
}

impl SessionRecords for MemoryStore {
    fn put_session(&self, row: &SessionRow) -> Result<u64, StoreError> {
        self.change_session(&row.id, Some(row.clone()))
    }

    fn remove_session(&self, id: &str) -> Result<u64, StoreError> {
        self.change_session(id, None)
    }

    fn read_session(&self, id: &str) -> Result<Option<RawJson>, StoreError> {
        Ok(self
            .lock_sessions()
            .get(id)
            .and_then(|session| session.row.as_ref())
            .map(|row| row.record.clone()))
    }

    fn read_sessions(&self, after: Option<(u64, &str)>, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        let sessions = self.lock_sessions();
        let is_later = |row: &SessionRow| after.is_none_or(|after| (row.changed_ms, row.id.as_str()) < after);
        let mut rows = select_rows(&sessions, is_later);
        rows.sort_by(|one, other| (other.changed_ms, &other.id).cmp(&(one.changed_ms, &one.id)));
        rows.truncate(limit as usize);
        Ok(rows)
    }

    fn find_sessions(&self, prefix: &str, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        let runs = self.lock();
        let of_runs: BTreeSet<String> = runs
            .iter()
            .filter(|(id, _)| id.starts_with(prefix))
            .filter_map(|(_, run)| run.session.clone())
            .collect();
        drop(runs);
        let is_found = |row: &SessionRow| row.id.starts_with(prefix) || of_runs.contains(&row.id);
        let mut rows = select_rows(&self.lock_sessions(), is_found);
        rows.truncate(limit as usize);
        Ok(rows)
    }

    fn read_open_sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        Ok(select_rows(&self.lock_sessions(), |row| row.is_open))
    }

    fn count_states(&self) -> Result<Vec<StateCount>, StoreError> {
        let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for row in self.lock_sessions().values().filter_map(|session| session.row.as_ref()) {
            let (sessions, questions) = counts.entry(row.state.clone()).or_default();
            *sessions = sessions.saturating_add(1);
            *questions = questions.saturating_add(row.open_questions);
        }
        let count = |(state, (sessions, questions))| StateCount::new(state, sessions, questions);
        Ok(counts.into_iter().map(count).collect())
    }

    fn count_sessions(&self) -> Result<u64, StoreError> {
        Ok(self.lock_sessions().values().filter(|session| session.row.is_some()).count() as u64)
    }

    fn read_session_changes(&self, after: u64) -> Result<Vec<SessionChange>, StoreError> {
        let sessions = self.lock_sessions();
        let change = |(id, session): (&String, &StoredSession)| {
            let is_new = session.version > after && (session.row.is_some() || after > 0);
            let record = session.row.as_ref().map(|row| row.record.clone());
            is_new.then(|| SessionChange::new(session.version, id.clone(), record))
        };
        let mut changes: Vec<SessionChange> = sessions.iter().filter_map(change).collect();
        changes.sort_by_key(|change| change.version);
        Ok(changes)
    }

    fn assign_run(&self, run: &str, session: &str) -> Result<(), StoreError> {
        if let Some(run) = self.lock().get_mut(run) {
            run.session = Some(session.to_owned());
        }
        Ok(())
    }

    fn list_unassigned_runs(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        let runs = self.lock();
        let unassigned = runs.iter().filter(|(_, run)| run.session.is_none());
        Ok(unassigned.take(limit as usize).map(|(id, _)| id.clone()).collect())
    }
}

/// Returns the rows that a condition selects, in ascending order of their ids.
fn select_rows(
    sessions: &BTreeMap<String, StoredSession>,
    is_selected: impl Fn(&SessionRow) -> bool,
) -> Vec<SessionRow> {
    let rows = sessions.values().filter_map(|session| session.row.as_ref());
    rows.filter(|row| is_selected(row)).cloned().collect()
}
