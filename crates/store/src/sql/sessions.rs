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
use crate::session_records::{SessionChange, SessionRecords};

impl SessionRecords for SqlStore {
    fn put_session(&self, id: &str, record: Option<&RawJson>) -> Result<u64, StoreError> {
        check_plain(id)?;
        loop {
            let (id, text) = (id.to_owned(), record.map(|record| record.as_str().to_owned()));
            let put = self.session().try_run(Durability::Synced, move |pool| {
                let query = sqlx::query_scalar(statements::PUT_SESSION).bind(id.clone()).bind(text.clone());
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

    fn read_session_changes(&self, after: u64) -> Result<Vec<SessionChange>, StoreError> {
        const DOING: &str = "read sessions";
        let after = to_i64(after);
        let rows = self.session().run(DOING, move |pool| {
            let query = sqlx::query(statements::READ_SESSIONS).bind(after);
            async move { query.fetch_all(&pool).await }
        })?;
        let fail = |error: Error| self.session().fail(DOING, &error);
        let change = |row: &AnyRow| {
            let id: String = row.try_get(1).map_err(fail)?;
            let text: Option<String> = row.try_get(2).map_err(fail)?;
            let damaged = |_| StoreError::Damaged { run: id.clone(), what: "the record of a session" };
            let record = text.map(|text| text.parse().map_err(damaged)).transpose()?;
            Ok(SessionChange::new(to_u64(row.try_get(0).map_err(fail)?), id, record))
        };
        rows.iter().map(change).collect()
    }
}
