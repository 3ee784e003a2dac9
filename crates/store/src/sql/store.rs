//! The contract of a store over a database.

#[cfg(feature = "sqlite")]
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::any::AnyRow;
use sqlx::error::DatabaseError;
use sqlx::{Error, Row as _};
use windlass_journal::{Durability, Record};
use windlass_protocol::RawJson;

use super::lease::SqlLease;
use super::session::Session;
use super::statements;
#[cfg(feature = "postgres")]
use crate::StoreUrl;
use crate::name::{check_key, check_plain};
use crate::{ContentHash, Lease, SessionRecords, Store, StoreError, StoredOutput};

/// The journal of the run itself. Keys of other journals are not empty.
pub(super) const RUN_JOURNAL: &str = "";

/// A store in a database.
#[derive(Clone, Debug)]
pub(crate) struct SqlStore {
    session: Arc<Session>,
}

impl SqlStore {
    #[cfg(feature = "sqlite")]
    pub(crate) fn open_sqlite(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { session: Session::open(super::sqlite::settings(path)?)? })
    }

    #[cfg(feature = "postgres")]
    pub(crate) fn open_postgres(url: &StoreUrl) -> Result<Self, StoreError> {
        Ok(Self { session: Session::open(super::postgres::settings(url)?)? })
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    fn missing(&self, run: &str) -> StoreError {
        StoreError::NotFound { run: run.to_owned(), store: self.session.shown.clone() }
    }

    /// Returns the rows of a statement with one parameter, the run. Fails if the run does not exist.
    fn rows(&self, doing: &'static str, sql: &'static str, run: &str) -> Result<Vec<AnyRow>, StoreError> {
        let id = run.to_owned();
        let rows = self.session.run(doing, move |pool| {
            let id = id.clone();
            async move { sqlx::query(sql).bind(id).fetch_all(&pool).await }
        })?;
        if rows.is_empty() {
            self.read_settings(run)?;
        }
        Ok(rows)
    }

    fn read_records(&self, run: &str, journal: &str) -> Result<Vec<Record>, StoreError> {
        let records = read_records(&self.session, run, journal)?;
        if records.is_empty() {
            self.read_settings(run)?;
        }
        Ok(records)
    }

    fn fail(&self, doing: &'static str) -> impl Fn(Error) -> StoreError + '_ {
        move |error| self.session.fail(doing, &error)
    }
}

pub(super) fn read_records(session: &Session, run: &str, journal: &str) -> Result<Vec<Record>, StoreError> {
    const DOING: &str = "read records";
    let (id, key) = (run.to_owned(), journal.to_owned());
    let rows = session.run(DOING, move |pool| {
        let (id, key) = (id.clone(), key.clone());
        async move { sqlx::query(statements::READ_RECORDS).bind(id).bind(key).fetch_all(&pool).await }
    })?;
    let fail = |error: Error| session.fail(DOING, &error);
    let record = |(expected, row): (u64, &AnyRow)| {
        let seq = to_u64(row.try_get(0).map_err(fail)?);
        let at_ms = to_u64(row.try_get(1).map_err(fail)?);
        let body = parse(&row.try_get::<String, _>(2).map_err(fail)?, run, "a record")?;
        // The numbers have no gap, because each append continues from the last record.
        let damaged = || StoreError::Damaged { run: run.to_owned(), what: "a journal" };
        if seq == expected { Ok(Record::new(seq, at_ms, body)) } else { Err(damaged()) }
    };
    (0_u64..).zip(&rows).map(record).collect()
}

/// Converts a number of the database, which is never negative.
pub(super) fn to_u64(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// Converts a number for the database. A number above its range is far beyond any clock or counter.
pub(super) fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn parse(text: &str, run: &str, what: &'static str) -> Result<RawJson, StoreError> {
    text.parse().map_err(|_| StoreError::Damaged { run: run.to_owned(), what })
}

fn is_foreign_key(error: &Error) -> bool {
    error.as_database_error().is_some_and(DatabaseError::is_foreign_key_violation)
}

impl Store for SqlStore {
    fn sessions(&self) -> Option<Arc<dyn SessionRecords>> {
        Some(Arc::new(self.clone()))
    }

    fn create_run(&self, run: &str, settings: &RawJson) -> Result<(), StoreError> {
        let (id, text) = (check_plain(run)?.to_owned(), settings.as_str().to_owned());
        let sql = self.session.statements.create_run;
        let created = self.session.run("create a run", move |pool| {
            let (id, text) = (id.clone(), text.clone());
            async move { Ok(sqlx::query(sql).bind(id).bind(text).execute(&pool).await?.rows_affected()) }
        })?;
        if created == 1 { Ok(()) } else { Err(StoreError::Exists { run: run.to_owned() }) }
    }

    fn read_settings(&self, run: &str) -> Result<RawJson, StoreError> {
        let id = run.to_owned();
        let settings: Option<String> = self.session.run("read settings", move |pool| {
            let id = id.clone();
            async move { sqlx::query_scalar(statements::READ_SETTINGS).bind(id).fetch_optional(&pool).await }
        })?;
        parse(&settings.ok_or_else(|| self.missing(run))?, run, "the settings")
    }

    fn list_runs(&self, after: Option<&str>, limit: u32) -> Result<Vec<String>, StoreError> {
        let after = after.unwrap_or_default().to_owned();
        self.session.run("list runs", move |pool| {
            let after = after.clone();
            let query = sqlx::query_scalar(statements::LIST_RUNS).bind(after).bind(i64::from(limit));
            async move { query.fetch_all(&pool).await }
        })
    }

    fn claim(&self, run: &str, ttl: Duration) -> Result<Arc<dyn Lease>, StoreError> {
        if let Some(lease) = SqlLease::claim(&self.session, run, ttl)? {
            return Ok(Arc::new(lease));
        }
        self.read_settings(run)?;
        Err(StoreError::Busy { run: run.to_owned() })
    }

    fn read_run_journal(&self, run: &str) -> Result<Vec<Record>, StoreError> {
        self.read_records(run, RUN_JOURNAL)
    }

    fn read_journal(&self, run: &str, key: &str) -> Result<Vec<Record>, StoreError> {
        self.read_records(run, check_key(key)?)
    }

    fn list_journals(&self, run: &str) -> Result<Vec<String>, StoreError> {
        const DOING: &str = "list journals";
        let rows = self.rows(DOING, statements::LIST_JOURNALS, run)?;
        rows.iter().map(|row| row.try_get(0).map_err(self.fail(DOING))).collect()
    }

    fn put_answer(&self, run: &str, name: &str, answer: &RawJson) -> Result<(), StoreError> {
        let (id, name, text) = (run.to_owned(), check_plain(name)?.to_owned(), answer.as_str().to_owned());
        let stored = self.session.try_run(Durability::Synced, move |pool| {
            let query = sqlx::query(statements::PUT_ANSWER);
            let query = query.bind(id.clone()).bind(name.clone()).bind(text.clone());
            async move { query.execute(&pool).await }
        });
        match stored {
            Ok(_) => Ok(()),
            Err(error) if is_foreign_key(&error) => Err(self.missing(run)),
            Err(error) => Err(self.session.fail("store an answer", &error)),
        }
    }

    fn read_answers(&self, run: &str) -> Result<Vec<(String, RawJson)>, StoreError> {
        const DOING: &str = "read answers";
        let rows = self.rows(DOING, statements::READ_ANSWERS, run)?;
        let answer = |row: &AnyRow| {
            let text: String = row.try_get(1).map_err(self.fail(DOING))?;
            Ok((row.try_get(0).map_err(self.fail(DOING))?, parse(&text, run, "an answer")?))
        };
        rows.iter().map(answer).collect()
    }

    fn push_message(&self, run: &str, message: &RawJson) -> Result<u64, StoreError> {
        let (id, text) = (run.to_owned(), message.as_str().to_owned());
        let pushed: Option<i64> = self.session.run("store a message", move |pool| {
            let (id, text) = (id.clone(), text.clone());
            async move {
                // The row of the run is locked until the message is stored, so messages appear in the order of
                // their numbers.
                let mut transaction = pool.begin().await?;
                let next = sqlx::query_scalar(statements::NEXT_MESSAGE).bind(id.clone());
                let Some(number): Option<i64> = next.fetch_optional(&mut *transaction).await? else {
                    return Ok(None);
                };
                let push = sqlx::query(statements::PUSH_MESSAGE).bind(id).bind(number).bind(text);
                push.execute(&mut *transaction).await?;
                transaction.commit().await?;
                Ok(Some(number))
            }
        })?;
        pushed.map(to_u64).ok_or_else(|| self.missing(run))
    }

    fn read_messages(&self, run: &str) -> Result<Vec<(u64, RawJson)>, StoreError> {
        const DOING: &str = "read messages";
        let rows = self.rows(DOING, statements::READ_MESSAGES, run)?;
        let message = |row: &AnyRow| {
            let text: String = row.try_get(1).map_err(self.fail(DOING))?;
            Ok((to_u64(row.try_get(0).map_err(self.fail(DOING))?), parse(&text, run, "a message")?))
        };
        rows.iter().map(message).collect()
    }

    fn list_outputs(&self, run: &str) -> Result<Vec<StoredOutput>, StoreError> {
        const DOING: &str = "list outputs";
        let rows = self.rows(DOING, statements::LIST_OUTPUTS, run)?;
        let output = |row: &AnyRow| {
            let hash = ContentHash::from_stored(row.try_get(1).map_err(self.fail(DOING))?);
            Ok(StoredOutput::new(row.try_get(0).map_err(self.fail(DOING))?, hash))
        };
        rows.iter().map(output).collect()
    }

    fn read_output(&self, run: &str, hash: &ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        let (id, text) = (run.to_owned(), hash.as_str().to_owned());
        let content: Option<Vec<u8>> = self.session.run("read an output", move |pool| {
            let query = sqlx::query_scalar(statements::READ_CONTENT).bind(id.clone()).bind(text.clone());
            async move { query.fetch_optional(&pool).await }
        })?;
        match content {
            None => self.read_settings(run).map(|_| None),
            Some(content) if ContentHash::compute(&content) == *hash => Ok(Some(content)),
            Some(_) => Err(StoreError::Damaged { run: run.to_owned(), what: "an output" }),
        }
    }
}
