//! The store for responses and conversations of clients.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use windlass_gateway::{MemoryStateStore, StateLimits, StateStore};

use super::assembly::Purpose;

/// The store of a configuration file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct StateEntry {
    /// The file of a SQLite database. Without it the state is in memory.
    pub(super) file: Option<PathBuf>,
    pub(super) bytes: Option<usize>,
    pub(super) client_bytes: Option<usize>,
    pub(super) client_values: Option<usize>,
    /// The time after the last use when a value is removed.
    pub(super) hours: Option<u64>,
}

impl StateEntry {
    pub(super) fn limits(&self) -> StateLimits {
        let defaults = StateLimits::default();
        StateLimits {
            owner_values: self.client_values.unwrap_or(defaults.owner_values),
            owner_bytes: self.client_bytes.unwrap_or(defaults.owner_bytes),
            bytes: self.bytes.unwrap_or(defaults.bytes),
            idle: self.hours.map_or(defaults.idle, Duration::from_hours),
        }
    }

    pub(super) fn check(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.file.is_none() || cfg!(feature = "sqlite"),
            "`state.file` needs a build with the feature `sqlite`"
        );
        Ok(())
    }

    /// Opens the store. A check of the configuration creates no file.
    #[cfg_attr(
        not(feature = "sqlite"),
        expect(clippy::unused_async, reason = "a database is opened by a future")
    )]
    pub(super) async fn open(&self, purpose: Purpose) -> anyhow::Result<Arc<dyn StateStore>> {
        #[cfg(feature = "sqlite")]
        if let Some(path) = self.file.as_ref().filter(|_| purpose == Purpose::Serve) {
            use anyhow::Context as _;
            let store = windlass_gateway::SqliteStateStore::open(path, self.limits()).await;
            return Ok(Arc::new(store.with_context(|| format!("`state.file` {}", path.display()))?));
        }
        #[cfg(not(feature = "sqlite"))]
        let _ = purpose;
        Ok(Arc::new(MemoryStateStore::new(self.limits())))
    }
}
