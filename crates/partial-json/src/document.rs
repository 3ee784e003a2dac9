//! The parsed document: records in text order, and one buffer of decoded text.
//!
//! Only the last open key, string or number can grow, so all of them share the buffer, and a record needs
//! only a kind, a completeness and two ranges. The subtree of a container directly follows it, so the next
//! sibling of a record starts where its subtree ends.

use alloc::string::String;
use alloc::vec::Vec;

use crate::node::{Completeness, Kind};

/// Sentinel for the end of a span that is still open.
pub(crate) const OPEN: u32 = u32::MAX;

/// A half-open range: of bytes in the text buffer, or of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// One value: its key, its kind, and where its text or its children are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    /// The member's key in the text buffer; empty for elements and for the root.
    pub(crate) key: Span,
    /// For a string or number, its text in the buffer. For a container, `start` is the number of children and
    /// `end` is the index at which the subtree ends.
    pub(crate) body: Span,
    pub(crate) kind: Kind,
    pub(crate) completeness: Completeness,
    /// Set when a later member of the same object has the same key.
    pub(crate) superseded: bool,
    /// Set when an earlier member of the same object has the same key.
    pub(crate) supersedes: bool,
    /// The value, if the record is a boolean.
    pub(crate) truth: bool,
}

/// The records of all values, and the text buffer that they refer to.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) text: String,
    pub(crate) records: Vec<Record>,
}

/// Converts a position to 32 bits. [`JsonLimits::clamp`](crate::JsonLimits) keeps every position below [`OPEN`].
pub(crate) fn narrow(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(OPEN)
}

/// Converts a stored position to an index.
pub(crate) fn wide(position: u32) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

impl Document {
    /// Empties the document and keeps its allocations.
    pub(crate) fn into_empty(mut self) -> Self {
        self.text.clear();
        self.records.clear();
        self
    }

    pub(crate) fn record(&self, at: u32) -> Option<&Record> {
        self.records.get(wide(at))
    }

    pub(crate) fn record_mut(&mut self, at: u32) -> Option<&mut Record> {
        self.records.get_mut(wide(at))
    }

    pub(crate) fn text_end(&self) -> u32 {
        narrow(self.text.len())
    }

    pub(crate) fn records_end(&self) -> u32 {
        narrow(self.records.len())
    }

    /// Returns the text of a span; an open span extends to the end of the buffer.
    pub(crate) fn text_of(&self, span: Span) -> &str {
        let start = wide(span.start);
        if span.end == OPEN {
            self.text.get(start..).unwrap_or_default()
        } else {
            self.text.get(start..wide(span.end)).unwrap_or_default()
        }
    }

    /// Returns whether the text of a closed span equals `text`.
    #[inline]
    pub(crate) fn is_text(&self, span: Span, text: &str) -> bool {
        wide(span.end.wrapping_sub(span.start)) == text.len()
            && self.text.as_bytes().get(wide(span.start)..wide(span.end)) == Some(text.as_bytes())
    }

    /// Returns the index at which the subtree of the record at `at` ends.
    pub(crate) fn subtree_end(&self, at: u32) -> u32 {
        self.record(at).map_or(at.saturating_add(1), |record| self.end_of(record, at))
    }

    /// Like [`subtree_end`](Self::subtree_end), for a record that the caller has already looked up at index
    /// `at`.
    #[inline]
    pub(crate) fn end_of(&self, record: &Record, at: u32) -> u32 {
        match record.body.end {
            _ if !record.kind.is_container() => at.saturating_add(1),
            OPEN => self.records_end(),
            end => end,
        }
    }
}
