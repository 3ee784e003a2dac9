//! Ranges that secrets cover.

use std::collections::VecDeque;
use std::ops::Range;

/// Covered ranges in text order. Overlapping ranges are merged, adjacent ranges are not.
#[derive(Default)]
pub(crate) struct Spans(VecDeque<Range<u64>>);

impl Spans {
    /// Covers a range. It must not end before an earlier range. Takes amortized constant time.
    pub(crate) fn cover(&mut self, mut from: u64, to: u64) {
        while let Some(last) = self.0.back() {
            if last.end <= from {
                break;
            }
            from = from.min(last.start);
            self.0.pop_back();
        }
        self.0.push_back(from..to);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the ranges that start before `until`.
    pub(crate) fn starting_before(&self, until: u64) -> impl Iterator<Item = &Range<u64>> {
        self.0.iter().take_while(move |span| span.start < until)
    }

    /// Drops the ranges that end at or before `until`.
    pub(crate) fn forget(&mut self, until: u64) {
        while self.0.front().is_some_and(|span| span.end <= until) {
            self.0.pop_front();
        }
    }
}
