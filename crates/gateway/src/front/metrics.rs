//! Counters of a server.

mod counters;
mod series;
mod text;

use std::sync::{Mutex, PoisonError};

use windlass_protocol::Usage;

use super::cool_downs::FallbackReason;
use super::log::RequestLine;
use counters::Counters;
use series::increment;

#[derive(Debug, Default)]
pub(super) struct Metrics(Mutex<Counters>);

impl Metrics {
    pub(super) fn begin(&self) {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counters.active = counters.active.saturating_add(1);
    }

    pub(super) fn end(&self, line: &RequestLine, usage: Option<&Usage>) {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counters.series(line).count(line, usage);
        if let Some(result) = line.cache {
            increment(counters.cache.entry(result).or_default());
        }
        counters.active = counters.active.saturating_sub(1);
        counters.total_sum_ms = counters.total_sum_ms.saturating_add(line.total_ms);
        counters.bytes = counters.bytes.saturating_add(line.bytes);
        counters.truncated = counters.truncated.saturating_add(u64::from(!line.is_complete));
    }

    /// Counts a failed attempt at a gateway of a chain.
    pub(super) fn fall_back(&self, upstream: &str, reason: FallbackReason) {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        increment(counters.failures.entry((upstream.to_owned(), reason)).or_default());
    }

    /// Returns the counters as Prometheus text. `cache` has the number of stored answers and their bytes.
    pub(super) fn to_text(&self, free_places: usize, cache: Option<(usize, usize)>) -> String {
        let counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        text::write(&counters, free_places, cache)
    }
}
