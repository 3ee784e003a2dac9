//! The storage that a model's caches used, and its cost.

use std::fmt;
use std::time::Duration;

use super::StoredCache;
use crate::Client;

/// The storage that the caches of a [`StoredCacheModel`](crate::StoredCacheModel) used until now.
///
/// It is an estimate from this program's clock. The cost is not a part of the cost of a run, because the provider
/// bills storage by the hour and not with an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StorageUse {
    /// The number of caches that were created.
    pub caches: u64,
    /// The tokens in the caches, each counted for the hours in which it was stored, rounded up. `None` if the provider
    /// did not state the size of a cache.
    pub token_hours: Option<u64>,
    /// The cost in millionths of the currency; `None` if a size or a price is unknown.
    pub cost: Option<u64>,
    /// The day of the price, `YYYY-MM-DD`; `None` if the price is unknown or the user's.
    pub as_of: Option<&'static str>,
}

/// The storage of caches that have ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct StorageSum {
    caches: u64,
    token_millis: Option<u128>,
    cost: Option<u64>,
    as_of: Option<&'static str>,
}

impl Default for StorageSum {
    fn default() -> Self {
        Self { caches: 0, token_millis: Some(0), cost: Some(0), as_of: None }
    }
}

const HOUR_MILLIS: u128 = 3_600_000;

impl StorageSum {
    /// Adds a cache that was stored for a time.
    pub(super) fn add(&mut self, client: &Client, cache: &StoredCache, time: Duration) {
        let price = client.price(&cache.prefix.model).and_then(|price| price.storage);
        self.caches = self.caches.saturating_add(1);
        self.token_millis = self
            .token_millis
            .zip(cache.tokens)
            .map(|(sum, tokens)| sum.saturating_add(u128::from(tokens).saturating_mul(time.as_millis())));
        let cost = client.storage_cost(cache, time);
        self.cost = self.cost.zip(cost).map(|(sum, cost)| sum.saturating_add(cost));
        self.as_of = price.and_then(|price| price.as_of).or(self.as_of);
    }

    pub(super) fn to_use(self) -> StorageUse {
        let hours = |millis: u128| u64::try_from(millis.div_ceil(HOUR_MILLIS)).unwrap_or(u64::MAX);
        let Self { caches, token_millis, cost, as_of } = self;
        StorageUse { caches, token_hours: token_millis.map(hours), cost, as_of }
    }
}

/// Formats the use for a person, for example `1 cache, 10000 token hours, 0.01 (prices of 2026-09-23)`.
impl fmt::Display for StorageUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.caches == 1 { "cache" } else { "caches" };
        write!(f, "{} {plural}", self.caches)?;
        match self.token_hours {
            Some(hours) => write!(f, ", {hours} token hours")?,
            None => f.write_str(", an unknown number of tokens")?,
        }
        let Some(cost) = self.cost else { return f.write_str(", at an unknown price") };
        let amount = format!("{}.{:06}", cost / 1_000_000, cost % 1_000_000);
        write!(f, ", {}", amount.trim_end_matches('0').trim_end_matches('.'))?;
        match self.as_of {
            Some(day) => write!(f, " (prices of {day})"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
