//! What has been read: values in the order of the text, and one buffer of decoded text.
//!
//! Only the last open key, string or number grows, so all of them share the buffer, and a value is a kind, a
//! completeness and two ranges. A container is followed by its subtree, so its next sibling is where the
//! subtree ends.

use crate::node::{Completeness, Kind};

/// The end of what is still open.
pub(crate) const OPEN: u32 = u32::MAX;

/// A range of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// One value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    /// The member's key in the buffer; empty for elements and the root.
    pub(crate) key: Span,
    /// String, number: the text in the buffer. Container: `start` counts the children, `end` is where the
    /// subtree ends.
    pub(crate) body: Span,
    pub(crate) kind: Kind,
    pub(crate) completeness: Completeness,
    /// A later member has the same key.
    pub(crate) superseded: bool,
    /// An earlier member has the same key.
    pub(crate) supersedes: bool,
    /// The value of a boolean.
    pub(crate) truth: bool,
}

/// Values and text.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) text: String,
    pub(crate) records: Vec<Record>,
}

/// A position in 32 bits; [`Limits::clamped`](crate::Limits) keeps every position below [`OPEN`].
pub(crate) fn narrow(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(OPEN)
}

/// A position as an index.
pub(crate) fn wide(position: u32) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

impl Document {
    /// Empty, with the same buffers.
    pub(crate) fn cleared(mut self) -> Self {
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

    /// The text of a span, up to the end of the buffer if it is open.
    pub(crate) fn text_of(&self, span: Span) -> &str {
        let start = wide(span.start);
        if span.end == OPEN {
            self.text.get(start..).unwrap_or_default()
        } else {
            self.text.get(start..wide(span.end)).unwrap_or_default()
        }
    }

    /// Whether the text of a closed span is this.
    #[inline]
    pub(crate) fn is_text(&self, span: Span, text: &str) -> bool {
        wide(span.end.wrapping_sub(span.start)) == text.len()
            && self.text.as_bytes().get(wide(span.start)..wide(span.end)) == Some(text.as_bytes())
    }

    /// Where the subtree of the record at `at` ends.
    pub(crate) fn subtree_end(&self, at: u32) -> u32 {
        self.record(at).map_or(at.saturating_add(1), |record| self.end_of(record, at))
    }

    /// Where the subtree of this record, which is at `at`, ends.
    #[inline]
    pub(crate) fn end_of(&self, record: &Record, at: u32) -> u32 {
        match record.body.end {
            _ if !record.kind.is_container() => at.saturating_add(1),
            OPEN => self.records_end(),
            end => end,
        }
    }
}
