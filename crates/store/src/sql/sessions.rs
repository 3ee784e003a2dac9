//! The records of sessions in a database.

use sqlx::any::AnyRow;
use sqlx::error::DatabaseError;
use sqlx::{Error, Row as _};
use windlass_journal::Durability;
use windlass_protocol::RawJson;

use super::statements;
use super::store::{SqlStore, to_i64, to_u64};
use crate::StoreError;
use crate::name::check_plain;
use crate::session_records::{SessionChange, SessionRecords, SessionRow, StateCount};

impl SqlStore {
    /// Stores a change of a session: its record, or `None` if it is removed.
    fn change_session(&self, id: &str, row: Option<&SessionRow>) -> Result<u64, StoreError> {
        check_plain(id)?;
        loop {
            let (id, row) = (id.to_owned(), row.cloned());
            let put = self.session().try_run(Durability::Synced, move |pool| {
                let text = row.as_ref().map(|row| row.record.as_str().to_owned());
                let row = row.clone().unwrap_or_else(|| SessionRow::new("", 0, RawJson::default()));
                let query = sqlx::query_scalar(statements::PUT_SESSION).bind(id.clone()).bind(text);
                let query = query.bind(to_i64(row.changed_ms)).bind(row.state).bind(i64::from(row.is_open));
                let query = query.bind(to_i64(row.open_questions));
                async move { query.fetch_one(&pool).await }
            });
            match put {
                Ok(version) => return Ok(to_u64(version)),
                // Another process took the number at the same time. It has committed before this error, so the
                // numbers become visible in their order.
                Err(error) if error.as_database_error().is_some_and(DatabaseError::is_unique_violation) => {}
                Err(error) => return Err(self.session().fail("store a session", &error)),
            }
        }
    }
}

impl SqlStore {
    /// Reads the rows of a statement that selects all columns of [`SessionRow`].
    fn read_rows(&self, doing: &'static str, rows: &[AnyRow]) -> Result<Vec<SessionRow>, StoreError> {
        let fail = |error: Error| self.session().fail(doing, &error);
        let read = |row: &AnyRow| {
            let id: String = row.try_get(0).map_err(fail)?;
            let record = parse(&row.try_get::<String, _>(2).map_err(fail)?, &id)?;
            let read = SessionRow::new(id, to_u64(row.try_get(1).map_err(fail)?), record);
            let is_open = row.try_get::<i64, _>(4).map_err(fail)? != 0;
            let questions = to_u64(row.try_get(5).map_err(fail)?);
            Ok(read.with_state(row.try_get::<String, _>(3).map_err(fail)?, is_open, questions))
        };
        rows.iter().map(read).collect()
    }
}

fn parse(text: &str, id: &str) -> Result<RawJson, StoreError> {
    text.parse().map_err(|_| StoreError::Damaged { run: id.to_owned(), what: "the record of a session" })
}

impl SessionRecords for SqlStore {
    fn put_session(&self, row: &SessionRow) -> Result<u64, StoreError> {
        self.change_session(&row.id, Some(row))
    }

    fn remove_session(&self, id: &str) -> Result<u64, StoreError> {
        self.change_session(id, None)
    }

    fn read_session(&self, id: &str) -> Result<Option<RawJson>, StoreError> {
        let name = id.to_owned();
        let text: Option<String> = self.session().run("read a session", move |pool| {
            let name = name.clone();
            async move { sqlx::query_scalar(statements::READ_SESSION).bind(name).fetch_optional(&pool).await }
        })?;
        text.map(|text| parse(&text, id)).transpose()
    }

    fn read_sessions(&self, after: Option<(u64, &str)>, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        const DOING: &str = "read a page of sessions";
        let (changed_ms, id) = after.unwrap_or((u64::MAX, ""));
        let (changed_ms, id) = (to_i64(changed_ms), id.to_owned());
        let rows = self.session().run(DOING, move |pool| {
            let query = sqlx::query(statements::READ_SESSIONS).bind(changed_ms).bind(id.clone());
            let query = query.bind(i64::from(limit));
            async move { query.fetch_all(&pool).await }
        })?;
        self.read_rows(DOING, &rows)
    }

    fn find_sessions(&self, prefix: &str, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        const DOING: &str = "find sessions";
        let prefix = prefix.to_owned();
        let rows = self.session().run(DOING, move |pool| {
            let query = sqlx::query(statements::FIND_SESSIONS).bind(prefix.clone()).bind(i64::from(limit));
            async move { query.fetch_all(&pool).await }
        })?;
        self.read_rows(DOING, &rows)
    }

    fn read_open_sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        const DOING: &str = "read the open sessions";
        let rows = self.session().run(DOING, |pool| async move {
            sqlx::query(statements::READ_OPEN_SESSIONS).fetch_all(&pool).await
        })?;
        self.read_rows(DOING, &rows)
    }

    fn count_states(&self) -> Result<Vec<StateCount>, StoreError> {
        const DOING: &str = "count the states of sessions";
        let rows = self
            .session()
            .run(DOING, |pool| async move { sqlx::query(statements::COUNT_STATES).fetch_all(&pool).await })?;
        let fail = |error: Error| self.session().fail(DOING, &error);
        let count = |row: &AnyRow| {
            let (sessions, questions) = (row.try_get(1).map_err(fail)?, row.try_get(2).map_err(fail)?);
            Ok(StateCount::new(row.try_get(0).map_err(fail)?, to_u64(sessions), to_u64(questions)))
        };
        rows.iter().map(count).collect()
    }

    fn count_sessions(&self) -> Result<u64, StoreError> {
        let count: i64 = self.session().run("count sessions", |pool| async move {
            sqlx::query_scalar(statements::COUNT_SESSIONS).fetch_one(&pool).await
        })?;
        Ok(to_u64(count))
    }

    fn read_session_changes(&self, after: u64) -> Result<Vec<SessionChange>, StoreError> {
        const DOING: &str = "read sessions";
        let after = to_i64(after);
        let rows = self.session().run(DOING, move |pool| {
            let query = sqlx::query(statements::READ_SESSION_CHANGES).bind(after);
            async move { query.fetch_all(&pool).await }
        })?;
        let fail = |error: Error| self.session().fail(DOING, &error);
        let change = |row: &AnyRow| {
            let id: String = row.try_get(1).map_err(fail)?;
            let text: Option<String> = row.try_get(2).map_err(fail)?;
            let record = text.map(|text| parse(&text, &id)).transpose()?;
            Ok(SessionChange::new(to_u64(row.try_get(0).map_err(fail)?), id, record))
        };
        rows.iter().map(change).collect()
    }

    fn assign_run(&self, run: &str, session: &str) -> Result<(), StoreError> {
        let (run, session) = (run.to_owned(), session.to_owned());
        self.session().run("store the session of a run", move |pool| {
            let query = sqlx::query(statements::ASSIGN_RUN).bind(run.clone()).bind(session.clone());
            async move { query.execute(&pool).await.map(drop) }
        })
    }

    fn list_unassigned_runs(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        self.session().run("list runs without a session", move |pool| {
            let query = sqlx::query_scalar(statements::LIST_UNASSIGNED_RUNS).bind(i64::from(limit));
            async move { query.fetch_all(&pool).await }
        })
    }
}
