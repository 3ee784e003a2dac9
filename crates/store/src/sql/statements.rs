//! The statements of the store. Those that read a clock or lock a row differ between the databases.
//!
//! Every statement that needs the lease compares the fencing number itself. A program that compares first and
//! writes then could be stopped between the two.

/// The statements that differ between the databases.
#[derive(Debug)]
pub(super) struct Statements {
    /// `run, settings`
    pub(super) create_run: &'static str,
    /// `run, owner, ttl`; returns the fencing number.
    pub(super) claim: &'static str,
    /// `run, fence, ttl`
    pub(super) renew: &'static str,
    /// `run, fence, journal, seq, at, body`
    pub(super) append: &'static str,
    /// `run, fence, name, hash`
    pub(super) put_output: &'static str,
}

pub(super) const READ_SETTINGS: &str = "SELECT settings FROM windlass_runs WHERE id = $1";
pub(super) const LIST_RUNS: &str = "SELECT id FROM windlass_runs WHERE id > $1 ORDER BY id LIMIT $2";
pub(super) const RELEASE: &str = "UPDATE windlass_runs SET owner = NULL, expires_ms = 0 WHERE id = $1 AND fence = $2 AND owner IS NOT NULL";
pub(super) const READ_FENCE: &str = "SELECT fence FROM windlass_runs WHERE id = $1 AND owner IS NOT NULL";
pub(super) const READ_RECORD: &str =
    "SELECT body FROM windlass_records WHERE run = $1 AND journal = $2 AND seq = $3 AND fence = $4";
pub(super) const READ_RECORDS: &str =
    "SELECT seq, at_ms, body FROM windlass_records WHERE run = $1 AND journal = $2 ORDER BY seq";
pub(super) const COUNT_RECORDS: &str =
    "SELECT COUNT(*) FROM windlass_records WHERE run = $1 AND journal = $2";
pub(super) const LIST_JOURNALS: &str =
    "SELECT DISTINCT journal FROM windlass_records WHERE run = $1 AND journal <> '' ORDER BY journal";
pub(super) const PUT_ANSWER: &str = "INSERT INTO windlass_answers (run, name, body) VALUES ($1, $2, $3) \
     ON CONFLICT (run, name) DO UPDATE SET body = excluded.body";
pub(super) const READ_ANSWERS: &str = "SELECT name, body FROM windlass_answers WHERE run = $1 ORDER BY name";
/// Takes the next number of a message. Rows of versions 1 and 2 have messages and the last number 0.
pub(super) const NEXT_MESSAGE: &str = "UPDATE windlass_runs SET last_message = 1 + CASE \
     WHEN last_message > (SELECT COALESCE(MAX(number), 0) FROM windlass_messages WHERE run = $1) THEN last_message \
     ELSE (SELECT COALESCE(MAX(number), 0) FROM windlass_messages WHERE run = $1) END \
     WHERE id = $1 RETURNING last_message";
pub(super) const PUSH_MESSAGE: &str = "INSERT INTO windlass_messages (run, number, body) VALUES ($1, $2, $3)";
pub(super) const READ_MESSAGES: &str =
    "SELECT number, body FROM windlass_messages WHERE run = $1 ORDER BY number";
pub(super) const REMOVE_MESSAGE: &str = "DELETE FROM windlass_messages WHERE run = $1 AND number = $3 \
     AND EXISTS (SELECT 1 FROM windlass_runs WHERE id = $1 AND fence = $2 AND owner IS NOT NULL)";
pub(super) const PUT_CONTENT: &str =
    "INSERT INTO windlass_contents (hash, bytes) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING";
/// A query with `ON CONFLICT` needs a `WHERE` for the parser of SQLite.
pub(super) const PUT_SESSION: &str = "INSERT INTO windlass_sessions \
     (id, version, record, changed_ms, state, is_open, open_questions) \
     SELECT $1, COALESCE(MAX(version), 0) + 1, $2, $3, $4, $5, $6 FROM windlass_sessions WHERE TRUE \
     ON CONFLICT (id) DO UPDATE SET version = excluded.version, record = excluded.record, \
     changed_ms = excluded.changed_ms, state = excluded.state, is_open = excluded.is_open, \
     open_questions = excluded.open_questions RETURNING version";
pub(super) const READ_SESSION_CHANGES: &str = "SELECT version, id, record FROM windlass_sessions \
     WHERE version > $1 AND (record IS NOT NULL OR $1 > 0) ORDER BY version";
pub(super) const READ_SESSION: &str =
    "SELECT record FROM windlass_sessions WHERE id = $1 AND record IS NOT NULL";
/// The first comparison lets the databases begin in the middle of the index.
pub(super) const READ_SESSIONS: &str = "SELECT id, changed_ms, record, state, is_open, open_questions \
     FROM windlass_sessions WHERE record IS NOT NULL AND changed_ms <= $1 AND (changed_ms < $1 OR id < $2) \
     ORDER BY changed_ms DESC, id DESC LIMIT $3";
/// The first comparison lets the databases begin in the middle of the index.
pub(super) const FIND_SESSIONS: &str = "SELECT id, changed_ms, record, state, is_open, open_questions \
     FROM windlass_sessions WHERE record IS NOT NULL AND ((id >= $1 AND substr(id, 1, length($1)) = $1) \
     OR id IN (SELECT session FROM windlass_runs WHERE id >= $1 AND substr(id, 1, length($1)) = $1)) \
     ORDER BY id LIMIT $2";
pub(super) const READ_OPEN_SESSIONS: &str = "SELECT id, changed_ms, record, state, is_open, open_questions \
     FROM windlass_sessions WHERE record IS NOT NULL AND is_open = 1 ORDER BY id";
pub(super) const COUNT_STATES: &str = "SELECT state, COUNT(*), CAST(SUM(open_questions) AS BIGINT) \
     FROM windlass_sessions WHERE record IS NOT NULL GROUP BY state ORDER BY state";
pub(super) const COUNT_SESSIONS: &str = "SELECT COUNT(*) FROM windlass_sessions WHERE record IS NOT NULL";
pub(super) const ASSIGN_RUN: &str = "UPDATE windlass_runs SET session = $2 WHERE id = $1";
pub(super) const LIST_UNASSIGNED_RUNS: &str =
    "SELECT id FROM windlass_runs WHERE session IS NULL ORDER BY id LIMIT $1";
pub(super) const LIST_OUTPUTS: &str = "SELECT name, hash FROM windlass_outputs WHERE run = $1 ORDER BY name";
pub(super) const READ_CONTENT: &str = "SELECT c.bytes FROM windlass_contents c \
     JOIN windlass_outputs o ON o.hash = c.hash WHERE o.run = $1 AND c.hash = $2";
