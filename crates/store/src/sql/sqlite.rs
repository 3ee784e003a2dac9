//! SQLite: the file, its settings, and the statements that read its clock.

use std::path::Path;
use std::str::FromStr as _;

use sqlx::any::AnyConnectOptions;

use super::session::Settings;
use super::statements::Statements;
use crate::StoreError;

/// The clock is that of the one machine that has the file, in milliseconds. SQLite has one writer at a time,
/// so a statement needs no lock on a row.
pub(super) const STATEMENTS: Statements = Statements {
    create_run: "INSERT INTO windlass_runs (id, settings, created_ms) \
         VALUES ($1, $2, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT (id) DO NOTHING",
    claim: "UPDATE windlass_runs SET fence = fence + 1, owner = $2, \
         expires_ms = CAST(unixepoch('subsec') * 1000 AS INTEGER) + $3 \
         WHERE id = $1 AND (owner IS NULL OR owner = $2 \
         OR expires_ms <= CAST(unixepoch('subsec') * 1000 AS INTEGER)) RETURNING fence",
    renew: "UPDATE windlass_runs SET expires_ms = CAST(unixepoch('subsec') * 1000 AS INTEGER) + $3 \
         WHERE id = $1 AND fence = $2 AND owner IS NOT NULL",
    append: "INSERT INTO windlass_records (run, journal, seq, fence, at_ms, body) \
         SELECT id, $3, $4, fence, $5, $6 FROM windlass_runs \
         WHERE id = $1 AND fence = $2 AND owner IS NOT NULL AND ($4 = 0 OR EXISTS (SELECT 1 FROM windlass_records \
         WHERE run = $1 AND journal = $3 AND seq = $4 - 1)) ON CONFLICT DO NOTHING",
    put_output: "INSERT INTO windlass_outputs (run, name, hash) SELECT id, $3, $4 FROM windlass_runs \
         WHERE id = $1 AND fence = $2 AND owner IS NOT NULL \
         ON CONFLICT (run, name) DO UPDATE SET hash = excluded.hash",
};

/// Write-ahead logging lets readers work beside the writer. `FULL` syncs each transaction, `NORMAL` only at a
/// checkpoint of the log; a later `FULL` transaction syncs the earlier ones too.
const SYNCED: &[&str] =
    &["PRAGMA busy_timeout = 10000", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"];
const BUFFERED: &[&str] = &["PRAGMA busy_timeout = 10000", "PRAGMA synchronous = NORMAL"];

/// Creates the file with access for the user only, and returns how to connect to it.
pub(super) fn settings(path: &Path) -> Result<Settings, StoreError> {
    let io = |doing| move |source| StoreError::Io { path: path.to_owned(), doing, source };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder).map_err(io("made"))?;
    }
    // SQLite gives its log files the mode of the database file.
    let mut options = std::fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(io("opened"))?;
    let path = std::path::absolute(path).map_err(io("opened"))?;
    let shown = format!("sqlite://{}", path.display());
    let address = format!("sqlite://{}?mode=rw", encode_percent(path.as_os_str().as_encoded_bytes()));
    let unusable = |_| StoreError::Address { reason: "is not one that SQLite accepts".to_owned() };
    let connect = AnyConnectOptions::from_str(&address).map_err(unusable)?;
    Ok(Settings {
        connect,
        shown,
        secrets: Vec::new(),
        synced: SYNCED,
        buffered: Some(BUFFERED),
        connections: 1,
        statements: &STATEMENTS,
        migrations: super::migrations::SQLITE,
    })
}

fn encode_percent(path: &[u8]) -> String {
    let encode = |byte: &u8| match byte {
        b'/' | b'-' | b'_' | b'.' => char::from(*byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(*byte).to_string(),
        byte => format!("%{byte:02x}"),
    };
    path.iter().map(encode).collect()
}
