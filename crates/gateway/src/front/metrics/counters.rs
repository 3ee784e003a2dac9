//! The counters of all requests.

use std::collections::BTreeMap;

use super::series::{Series, SeriesCounters};
use crate::front::cache::CacheResult;
use crate::front::cool_downs::FallbackReason;
use crate::front::log::RequestLine;

/// Maximum number of combinations of client, model and upstream with counters of their own. Clients choose model names, so
/// further ones are counted together.
const MOST_SERIES: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) active: u64,
    pub(super) series: BTreeMap<Series, SeriesCounters>,
    /// Failed attempts at gateways of chains, by the label of the upstream.
    pub(super) failures: BTreeMap<(String, FallbackReason), u64>,
    /// Requests by the part of the cache in their answers.
    pub(super) cache: BTreeMap<CacheResult, u64>,
    pub(super) total_sum_ms: u64,
    pub(super) bytes: u64,
    pub(super) truncated: u64,
}

impl Counters {
    /// Returns the counters of a request.
    pub(super) fn series(&mut self, line: &RequestLine) -> &mut SeriesCounters {
        let mut series = Series::new(line);
        if self.series.len() >= MOST_SERIES && !self.series.contains_key(&series) {
            series = series.merge_models();
        }
        self.series.entry(series).or_default()
    }
}
