//! The connections to a database: settings, retries, and errors without passwords.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use secrecy::SecretString;
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{AnyConnection, AnyPool, Connection as _, Error};
use windlass_journal::Durability;
use windlass_redact::Redactor;

use super::bridge::Bridge;
use super::migrations::{self, Migrations};
use super::statements::Statements;
use crate::StoreError;

/// The time for which a statement is tried again while the database restarts.
const PATIENCE: Duration = Duration::from_secs(30);
/// The first and the longest pause between two attempts.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));
/// The time in which a connection must be there.
const CONNECT: Duration = Duration::from_secs(10);

/// The settings for connecting to a database and preparing it.
pub(super) struct Settings {
    pub(super) connect: AnyConnectOptions,
    /// The address without a password.
    pub(super) shown: String,
    pub(super) secrets: Vec<SecretString>,
    /// Statements for each connection whose transactions are synced.
    pub(super) synced: &'static [&'static str],
    /// Statements for each connection whose transactions need not be synced. `None` means that a process can outlive
    /// such transactions, so all are synced.
    pub(super) buffered: Option<&'static [&'static str]>,
    pub(super) connections: u32,
    pub(super) statements: &'static Statements,
    pub(super) migrations: Migrations,
}

/// An open database.
pub(super) struct Session {
    bridge: Bridge,
    synced: AnyPool,
    buffered: AnyPool,
    pub(super) statements: &'static Statements,
    pub(super) shown: String,
    redactor: Redactor,
}

impl Session {
    /// Connects, and brings the tables to the newest version.
    pub(super) fn open(settings: Settings) -> Result<Arc<Self>, StoreError> {
        sqlx::any::install_default_drivers();
        let redactor = Redactor::new(settings.secrets);
        let Settings { connect, shown, connections, statements, migrations, .. } = settings;
        let (synced, buffered) = (settings.synced, settings.buffered);
        let bridge = Bridge::start()
            .map_err(|error| describe_failure(&redactor, "start its thread", &Error::from(error)))?;
        let opened = bridge.block_on(async move {
            // A missing or wrong database is found here. A pool would try again for a while.
            AnyConnection::connect_with(&connect).await?.close().await?;
            let buffered = buffered.map(|setup| pool(connect.clone(), connections, setup));
            let synced = pool(connect, connections, synced);
            let buffered = buffered.unwrap_or_else(|| synced.clone());
            migrations::migrate(&synced, migrations).await?;
            Ok((synced, buffered))
        });
        let opened = opened.unwrap_or_else(|| Err(Error::WorkerCrashed));
        let (synced, buffered) = opened.map_err(|error| describe_failure(&redactor, "be opened", &error))?;
        Ok(Arc::new(Self { bridge, synced, buffered, statements, shown, redactor }))
    }

    /// Runs a statement whose effects are durable when this function returns. Tries again while the database
    /// restarts, so the work must be safe to repeat.
    pub(super) fn run<T, F, Fut>(&self, doing: &'static str, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(AnyPool) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, Error>> + Send,
    {
        self.try_run(Durability::Synced, work).map_err(|error| self.fail(doing, &error))
    }

    /// Like [`run`](Self::run), but with a durability, and returns the error of the driver.
    pub(super) fn try_run<T, F, Fut>(&self, durability: Durability, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Fn(AnyPool) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, Error>> + Send,
    {
        let pool = match durability {
            Durability::Synced => self.synced.clone(),
            Durability::Buffered => self.buffered.clone(),
        };
        let done = self.bridge.block_on(async move {
            let deadline = Instant::now() + PATIENCE;
            let mut pause = PAUSES.0;
            loop {
                match work(pool.clone()).await {
                    Err(error) if is_transient(&error) && Instant::now() < deadline => {
                        tokio::time::sleep(pause).await;
                        pause = pause.saturating_mul(2).min(PAUSES.1);
                    }
                    result => return result,
                }
            }
        });
        done.unwrap_or(Err(Error::WorkerCrashed))
    }

    /// Converts an error of the driver.
    pub(super) fn fail(&self, doing: &'static str, error: &Error) -> StoreError {
        describe_failure(&self.redactor, doing, error)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Session").field(&self.shown).finish()
    }
}

/// Creates a pool that connects on first use and runs `setup` on each new connection.
fn pool(connect: AnyConnectOptions, connections: u32, setup: &'static [&'static str]) -> AnyPool {
    AnyPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(CONNECT)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .after_connect(move |connection, _| {
            Box::pin(async move {
                for statement in setup {
                    sqlx::query(*statement).execute(&mut *connection).await?;
                }
                Ok(())
            })
        })
        .connect_lazy_with(connect)
}

/// Returns whether the same statement can succeed a moment later: the server restarts, the connection is
/// lost, or another transaction is in the way.
fn is_transient(error: &Error) -> bool {
    match error {
        Error::Io(_) | Error::PoolTimedOut => true,
        Error::Database(error) => error.code().is_some_and(|code| {
            // PostgreSQL: administrator or crash shutdown, starting up, serialization failure, deadlock.
            // SQLite: busy, busy while it recovers its log, busy because of a newer snapshot.
            matches!(&*code, "57P01" | "57P02" | "57P03" | "40001" | "40P01" | "5" | "261" | "517")
        }),
        _ => false,
    }
}

/// Describes an error with its causes, without passwords.
fn describe_failure(redactor: &Redactor, doing: &'static str, error: &Error) -> StoreError {
    let mut reason = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let text = error.to_string();
        if !reason.contains(&text) {
            reason = format!("{reason}: {text}");
        }
        cause = error.source();
    }
    StoreError::Database { doing, reason: redactor.redact(&reason).into_owned() }
}
