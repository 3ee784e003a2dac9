//! Detection of repeated keys.

#[cfg(feature = "std")]
mod hashed;
#[cfg(any(test, not(feature = "std")))]
mod sorted;
#[cfg(all(test, feature = "std"))]
mod tests;

use alloc::boxed::Box;

use crate::document::{Document, Span};

#[cfg(feature = "std")]
use hashed::Index;
#[cfg(not(feature = "std"))]
use sorted::Index;

/// Objects of up to this many members are searched linearly, which is faster than an index.
const FEW: u32 = 16;

/// An open container.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) record: u32,
    /// Number of members added so far, including superseded ones.
    children: u32,
    index: Option<Box<Index>>,
}

impl Frame {
    pub(crate) fn new(record: u32) -> Self {
        Self { record, children: 0, index: None }
    }

    /// Registers the record at `at`, which the caller is about to add with this key, and returns the earlier
    /// child with the same key.
    pub(crate) fn add(&mut self, document: &Document, key: Span, at: u32) -> Option<u32> {
        self.children = self.children.saturating_add(1);
        if self.children <= FEW {
            return find(document, self.record, at, key);
        }
        let first = self.record.saturating_add(1);
        let index = self.index.get_or_insert_with(|| Box::new(Index::build(document, first, at)));
        index.insert(document, key, at)
    }
}

/// Returns the latest child with this key of the object at `object`, by linear search.
fn find(document: &Document, object: u32, end: u32, key: Span) -> Option<u32> {
    let wanted = document.text_of(key);
    let mut child = object.saturating_add(1);
    while child < end {
        let record = document.record(child)?;
        if !record.superseded && document.is_text(record.key, wanted) {
            return Some(child);
        }
        child = document.end_of(record, child);
    }
    None
}
