//! The records that all clones of the endpoints share.

use std::sync::Arc;

use super::accounts::Accounts;
use super::cool_downs::CoolDowns;
use super::metrics::Metrics;
use super::places::Places;
use crate::recorder::StoredIds;

/// The parts that continue when a configuration is replaced.
#[derive(Debug, Default)]
pub(super) struct FrontRecords {
    pub(super) metrics: Metrics,
    pub(super) places: Places,
    pub(super) accounts: Accounts,
    pub(super) cool_downs: CoolDowns,
    pub(super) stored_ids: Arc<StoredIds>,
}
