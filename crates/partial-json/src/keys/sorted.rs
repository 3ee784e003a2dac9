//! A sorted map from keys to records. Without `std` the crate has no source of random numbers, and a hash without a
//! random key would let an input collide in every slot; a tree has no such input.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;

use crate::document::{Document, Span};

/// The records of an object's members by key, each in logarithmic time. It copies the keys.
#[derive(Debug)]
pub(super) struct Index {
    records: BTreeMap<Box<str>, u32>,
}

impl Index {
    /// Creates the index of the records from `first` up to `end`.
    pub(super) fn build(document: &Document, first: u32, end: u32) -> Self {
        let mut index = Self { records: BTreeMap::new() };
        let mut child = first;
        while child < end {
            let Some(record) = document.record(child) else { break };
            index.insert(document, record.key, child);
            child = document.end_of(record, child);
        }
        index
    }

    /// Stores the record at `at` under this key, and returns the record that the key had before.
    pub(super) fn insert(&mut self, document: &Document, key: Span, at: u32) -> Option<u32> {
        let key = document.text_of(key);
        match self.records.get_mut(key) {
            Some(record) => Some(core::mem::replace(record, at)),
            None => self.records.insert(key.to_owned().into_boxed_str(), at),
        }
    }
}
