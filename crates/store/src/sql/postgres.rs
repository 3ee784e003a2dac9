//! PostgreSQL: the connections, and the statements that read its clock and lock the row of a run.

use std::str::FromStr as _;

use sqlx::any::AnyConnectOptions;

use super::session::Settings;
use super::statements::Statements;
use crate::{StoreError, StoreUrl};

/// The clock is that of the server, in milliseconds.
///
/// `FOR SHARE` conflicts with the update of a claim. So a write that is in progress ends before a claim
/// returns, and a write that waited for a claim compares the new number and is refused.
pub(super) const STATEMENTS: Statements = Statements {
    create_run: "INSERT INTO windlass_runs (id, settings, created_ms) \
         VALUES ($1, $2, (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT) ON CONFLICT (id) DO NOTHING",
    claim: "UPDATE windlass_runs SET fence = fence + 1, owner = $2, \
         expires_ms = (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT + $3 \
         WHERE id = $1 AND (owner IS NULL OR owner = $2 \
         OR expires_ms <= (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT) RETURNING fence",
    renew: "UPDATE windlass_runs \
         SET expires_ms = (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT + $3 \
         WHERE id = $1 AND fence = $2 AND owner IS NOT NULL",
    append: "INSERT INTO windlass_records (run, journal, seq, fence, at_ms, body) \
         SELECT id, $3, $4, fence, $5, $6 FROM windlass_runs \
         WHERE id = $1 AND fence = $2 AND owner IS NOT NULL AND ($4 = 0 OR EXISTS (SELECT 1 FROM windlass_records \
         WHERE run = $1 AND journal = $3 AND seq = $4 - 1)) FOR SHARE ON CONFLICT DO NOTHING",
    put_output: "INSERT INTO windlass_outputs (run, name, hash) SELECT id, $3, $4 FROM windlass_runs \
         WHERE id = $1 AND fence = $2 AND owner IS NOT NULL FOR SHARE \
         ON CONFLICT (run, name) DO UPDATE SET hash = excluded.hash",
};

/// A server that crashes loses acknowledged transactions of `synchronous_commit = off`, while the process that wrote
/// them lives on and appends the next record. So each transaction is synced, whatever the setting of the server.
const SYNCED: &[&str] = &["SET synchronous_commit = on"];

pub(super) fn settings(url: &StoreUrl) -> Result<Settings, StoreError> {
    let unusable = |_| StoreError::Address { reason: "is not one that PostgreSQL accepts".to_owned() };
    Ok(Settings {
        connect: AnyConnectOptions::from_str(url.expose()).map_err(unusable)?,
        shown: url.to_string(),
        secrets: url.passwords(),
        synced: SYNCED,
        buffered: None,
        connections: 4,
        statements: &STATEMENTS,
        migrations: super::migrations::POSTGRES,
    })
}
