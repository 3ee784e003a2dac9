//! The places that secrets cover.

use std::collections::VecDeque;
use std::ops::Range;

/// Covered places in the order of the text. Places that overlap are merged, places that touch are not.
#[derive(Default)]
pub(crate) struct Spans(VecDeque<Range<u64>>);

impl Spans {
    /// Covers a place that ends at or behind the end of every other one. Amortized constant time.
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

    /// Returns the places that begin before `until`.
    pub(crate) fn starting_before(&self, until: u64) -> impl Iterator<Item = &Range<u64>> {
        self.0.iter().take_while(move |span| span.start < until)
    }

    /// Drops the places that end at or before `until`.
    pub(crate) fn forget(&mut self, until: u64) {
        while self.0.front().is_some_and(|span| span.end <= until) {
            self.0.pop_front();
        }
    }
}
