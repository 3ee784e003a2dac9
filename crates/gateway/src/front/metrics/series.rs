//! The counters of one combination of client, model and upstream.

use std::collections::BTreeMap;

use windlass_protocol::Usage;

use crate::front::log::RequestLine;

/// The name of the model in the series of all further combinations.
const OTHER: &str = "other";
/// Maximum letters of a label. Clients choose model names.
const MOST_LETTERS: usize = 200;

/// The upper bounds of the histogram of first bytes, in milliseconds.
pub(super) const BOUNDS_MS: [u64; 9] = [10, 50, 100, 250, 500, 1_000, 2_500, 10_000, 60_000];

/// A combination of client, model and upstream. The values are those of labels: two combinations never have the same labels,
/// because the format permits a series once in a page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Series {
    pub(super) client: String,
    pub(super) model: String,
    pub(super) upstream: String,
}

#[derive(Debug, Default)]
pub(super) struct SeriesCounters {
    /// Requests by the client's format and the status.
    pub(super) requests: BTreeMap<(String, u16), u64>,
    /// The tokens that providers counted; `None` without a count.
    pub(super) usage: Option<Usage>,
    /// The cost of the counted tokens, in millionths.
    pub(super) cost: u64,
    pub(super) first_bytes: FirstBytes,
    /// The number of requests that were sent to the upstream, and the sum of their waits in milliseconds.
    pub(super) waits: (u64, u64),
}

/// A histogram of the time until the first byte of an answer.
#[derive(Debug, Default)]
pub(super) struct FirstBytes {
    /// One count for each bound and one for all others.
    pub(super) counts: [u64; 10],
    pub(super) sum_ms: u64,
}

impl Series {
    pub(super) fn new(line: &RequestLine) -> Self {
        Self { client: label(&line.client), model: label(&line.model), upstream: label(&line.upstream) }
    }

    /// Returns the series of all further models.
    pub(super) fn merge_models(self) -> Self {
        Self { model: OTHER.to_owned(), ..self }
    }
}

/// Removes control characters and the letters beyond the maximum.
fn label(text: &str) -> String {
    let is_usual =
        |text: &str| text.len() <= MOST_LETTERS && text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_usual(text) {
        return text.to_owned();
    }
    text.chars().filter(|letter| !letter.is_control()).take(MOST_LETTERS).collect()
}

impl SeriesCounters {
    pub(super) fn count(&mut self, line: &RequestLine, usage: Option<&Usage>) {
        increment(self.requests.entry((line.format.clone(), line.status)).or_default());
        if let Some(usage) = usage {
            self.usage.get_or_insert_default().add(usage);
            self.cost = self.cost.saturating_add(line.cost_millionths.unwrap_or_default());
        }
        if let Some(first) = line.first_byte_ms {
            self.first_bytes.count(first);
        }
        if let Some(wait) = line.wait_ms {
            let (count, sum) = &mut self.waits;
            increment(count);
            *sum = sum.saturating_add(wait);
        }
    }
}

impl FirstBytes {
    fn count(&mut self, first_ms: u64) {
        self.sum_ms = self.sum_ms.saturating_add(first_ms);
        let position = BOUNDS_MS.iter().position(|bound| first_ms <= *bound).unwrap_or(BOUNDS_MS.len());
        self.counts.get_mut(position).into_iter().for_each(increment);
    }
}

pub(super) fn increment(count: &mut u64) {
    *count = count.saturating_add(1);
}
