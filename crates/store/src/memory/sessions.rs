//! The records of sessions in memory.

use std::collections::BTreeMap;
use std::sync::{MutexGuard, PoisonError};

use windlass_protocol::RawJson;

use super::MemoryStore;
use crate::name::check_plain;
use crate::{SessionChange, SessionRecords, SessionRow, StoreError};

/// The newest change of a session.
#[derive(Debug)]
pub(super) struct StoredSession {
    version: u64,
    changed_ms: u64,
    /// The record, or `None` if it was removed.
    record: Option<RawJson>,
}

impl MemoryStore {
    fn lock_sessions(&self) -> MutexGuard<'_, BTreeMap<String, StoredSession>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change_session(&self, id: &str, changed_ms: u64, record: Option<RawJson>) -> Result<u64, StoreError> {
        check_plain(id)?;
        let mut sessions = self.lock_sessions();
        let newest = sessions.values().map(|change| change.version).max().unwrap_or_default();
        let version = newest.saturating_add(1);
        sessions.insert(id.to_owned(), StoredSession { version, changed_ms, record });
        Ok(version)
    }
}

impl SessionRecords for MemoryStore {
    fn put_session(&self, row: &SessionRow) -> Result<u64, StoreError> {
        self.change_session(&row.id, row.changed_ms, Some(row.record.clone()))
    }

    fn remove_session(&self, id: &str) -> Result<u64, StoreError> {
        self.change_session(id, 0, None)
    }

    fn read_session(&self, id: &str) -> Result<Option<RawJson>, StoreError> {
        Ok(self.lock_sessions().get(id).and_then(|session| session.record.clone()))
    }

    fn read_sessions(&self, after: Option<(u64, &str)>, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        let sessions = self.lock_sessions();
        let row = |(id, session): (&String, &StoredSession)| {
            let is_later = after.is_none_or(|after| (session.changed_ms, id.as_str()) < after);
            let record = session.record.clone().filter(|_| is_later)?;
            Some(SessionRow::new(id, session.changed_ms, record))
        };
        let mut rows: Vec<SessionRow> = sessions.iter().filter_map(row).collect();
        rows.sort_by(|one, other| (other.changed_ms, &other.id).cmp(&(one.changed_ms, &one.id)));
        rows.truncate(limit as usize);
        Ok(rows)
    }

    fn count_sessions(&self) -> Result<u64, StoreError> {
        Ok(self.lock_sessions().values().filter(|session| session.record.is_some()).count() as u64)
    }

    fn read_session_changes(&self, after: u64) -> Result<Vec<SessionChange>, StoreError> {
        let sessions = self.lock_sessions();
        let change = |(id, session): (&String, &StoredSession)| {
            let is_new = session.version > after && (session.record.is_some() || after > 0);
            is_new.then(|| SessionChange::new(session.version, id.clone(), session.record.clone()))
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
