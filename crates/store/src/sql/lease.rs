//! The lease on a run in a database. The statements compare its fencing number.

use std::sync::Arc;
use std::time::Duration;

use sqlx::Error;
use windlass_journal::{Durability, Journal, JournalError, Journals, Record};
use windlass_protocol::RawJson;

use super::session::Session;
use super::statements;
use super::store::{RUN_JOURNAL, read_records, to_i64, to_u64};
use crate::name::{check_key, check_plain};
use crate::{ContentHash, Lease, StoreError};

/// A lease on a run in a database.
#[derive(Clone, Debug)]
pub(super) struct SqlLease {
    session: Arc<Session>,
    run: String,
    fence: u64,
    ttl: Duration,
}

/// A journal whose appends carry the fencing number.
struct SqlJournal {
    lease: SqlLease,
    key: String,
    next_seq: u64,
}

impl SqlLease {
    /// Claims the run. Returns `None` if it has an owner or does not exist.
    pub(super) fn claim(
        session: &Arc<Session>,
        run: &str,
        ttl: Duration,
    ) -> Result<Option<Self>, StoreError> {
        // A repeated claim, whose first answer was lost, finds its own name and succeeds.
        let mut random = [0_u8; 16];
        getrandom::fill(&mut random).map_err(|error| StoreError::Database {
            doing: "claim a run",
            reason: format!("no random bytes: {error}"),
        })?;
        let owner = format!("{:032x}", u128::from_be_bytes(random));
        let (id, millis, sql) = (run.to_owned(), milliseconds(ttl), session.statements.claim);
        let fence: Option<i64> = session.run("claim a run", move |pool| {
            let query = sqlx::query_scalar(sql).bind(id.clone()).bind(owner.clone()).bind(millis);
            async move { query.fetch_optional(&pool).await }
        })?;
        let lease = |fence| Self { session: Arc::clone(session), run: run.to_owned(), fence, ttl };
        Ok(fence.map(to_u64).map(lease))
    }

    fn make_lost_error(&self) -> StoreError {
        StoreError::LeaseLost { run: self.run.clone(), fence: self.fence }
    }

    /// Runs a statement with the run and the fencing number as its first parameters, and returns the number
    /// of changed rows.
    fn change(
        &self,
        doing: &'static str,
        sql: &'static str,
        others: impl Fn(Query) -> Query + Send + 'static,
    ) -> Result<u64, StoreError> {
        let (id, fence) = (self.run.clone(), to_i64(self.fence));
        self.session.run(doing, move |pool| {
            let query = others(sqlx::query(sql).bind(id.clone()).bind(fence));
            async move { Ok(query.execute(&pool).await?.rows_affected()) }
        })
    }

    fn check_owned(&self) -> Result<(), StoreError> {
        let id = self.run.clone();
        let fence: Option<i64> = self.session.run("read a lease", move |pool| {
            let query = sqlx::query_scalar(statements::READ_FENCE).bind(id.clone());
            async move { query.fetch_optional(&pool).await }
        })?;
        if fence == Some(to_i64(self.fence)) { Ok(()) } else { Err(self.make_lost_error()) }
    }

    fn open_journal(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError> {
        self.check_owned()?;
        Ok(Box::new(SqlJournal { next_seq: self.count(key)?, lease: self.clone(), key: key.to_owned() }))
    }

    fn count(&self, key: &str) -> Result<u64, StoreError> {
        let (id, key) = (self.run.clone(), key.to_owned());
        let count: i64 = self.session.run("count records", move |pool| {
            let query = sqlx::query_scalar(statements::COUNT_RECORDS).bind(id.clone()).bind(key.clone());
            async move { query.fetch_one(&pool).await }
        })?;
        Ok(to_u64(count))
    }
}

type Query = sqlx::query::Query<'static, sqlx::Any, sqlx::any::AnyArguments>;

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 2)
}

impl Journals for SqlLease {
    fn open(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError> {
        self.open_journal(check_key(key)?)
    }

    fn find(&self, key: &str) -> Result<Option<Box<dyn Journal + Send>>, JournalError> {
        if self.count(check_key(key)?)? > 0 { self.open(key).map(Some) } else { Ok(None) }
    }
}

impl Lease for SqlLease {
    fn run(&self) -> &str {
        &self.run
    }

    fn fence(&self) -> u64 {
        self.fence
    }

    fn renew(&self) -> Result<(), StoreError> {
        let millis = milliseconds(self.ttl);
        let sql = self.session.statements.renew;
        let renewed = self.change("renew a lease", sql, move |query| query.bind(millis))?;
        if renewed == 1 { Ok(()) } else { Err(self.make_lost_error()) }
    }

    fn release(&self) -> Result<(), StoreError> {
        // No changed row: another process has taken the run over, or a first answer was lost.
        self.change("release a lease", statements::RELEASE, |query| query).map(drop)
    }

    fn open_run_journal(&self) -> Result<Box<dyn Journal + Send>, JournalError> {
        self.open_journal(RUN_JOURNAL)
    }

    fn put_output(&self, name: &str, content: &[u8]) -> Result<ContentHash, StoreError> {
        let (name, hash, bytes) =
            (check_plain(name)?.to_owned(), ContentHash::compute(content), content.to_vec());
        let text = hash.as_str().to_owned();
        // Content that no output names is harmless, so the two statements need no transaction.
        self.session.run("store an output", move |pool| {
            let query = sqlx::query(statements::PUT_CONTENT).bind(text.clone()).bind(bytes.clone());
            async move { query.execute(&pool).await }
        })?;
        let text = hash.as_str().to_owned();
        let sql = self.session.statements.put_output;
        let stored =
            self.change("store an output", sql, move |query| query.bind(name.clone()).bind(text.clone()))?;
        if stored == 1 { Ok(hash) } else { Err(self.make_lost_error()) }
    }

    fn remove_message(&self, number: u64) -> Result<(), StoreError> {
        let number = to_i64(number);
        let sql = statements::REMOVE_MESSAGE;
        let removed = self.change("remove a message", sql, move |query| query.bind(number))?;
        if removed == 0 { self.check_owned() } else { Ok(()) }
    }
}

impl SqlJournal {
    /// Finds out why no record was appended. The record exists if an earlier attempt succeeded and its
    /// acknowledgement was lost.
    fn explain(&self, body: &str) -> Result<(), JournalError> {
        self.lease.check_owned()?;
        let (id, key) = (self.lease.run.clone(), self.key.clone());
        let (seq, fence) = (to_i64(self.next_seq), to_i64(self.lease.fence));
        let stored: Option<String> = self.lease.session.run("read a record", move |pool| {
            let query = sqlx::query_scalar(statements::READ_RECORD);
            let query = query.bind(id.clone()).bind(key.clone()).bind(seq).bind(fence);
            async move { query.fetch_optional(&pool).await }
        })?;
        if stored.as_deref() == Some(body) {
            return Ok(());
        }
        let is_first = self.next_seq == 0;
        let reason = if stored.is_none() && !is_first && self.lease.count(&self.key)? < self.next_seq {
            format!("the database lost records of this journal before number {}", self.next_seq)
        } else {
            format!("number {} is taken by another writer of this journal", self.next_seq)
        };
        Err(StoreError::Database { doing: APPEND, reason }.into())
    }
}

const APPEND: &str = "append a record";

impl Journal for SqlJournal {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        let sql = self.lease.session.statements.append;
        let (id, fence, key) = (self.lease.run.clone(), to_i64(self.lease.fence), self.key.clone());
        let (seq, at, text) = (to_i64(self.next_seq), to_i64(at_ms), body.as_str().to_owned());
        let appended: Result<u64, Error> = self.lease.session.try_run(durability, move |pool| {
            let query = sqlx::query(sql).bind(id.clone()).bind(fence).bind(key.clone());
            let query = query.bind(seq).bind(at).bind(text.clone());
            async move { Ok(query.execute(&pool).await?.rows_affected()) }
        });
        if appended.map_err(|error| self.lease.session.fail(APPEND, &error))? == 0 {
            self.explain(body.as_str())?;
        }
        let seq = self.next_seq;
        self.next_seq = seq.saturating_add(1);
        Ok(seq)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        Ok(read_records(&self.lease.session, &self.lease.run, &self.key)?)
    }
}
