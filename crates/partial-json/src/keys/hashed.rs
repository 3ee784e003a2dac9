//! A hash table from keys to records, in amortized constant time per member.

use alloc::vec;
use alloc::vec::Vec;
use core::hash::BuildHasher;
use std::hash::RandomState;

use crate::document::{Document, Span, wide};

const EMPTY: u32 = u32::MAX;

/// An open-addressing hash table from keys to records. Its hash has a random key, so that input cannot be
/// constructed to collide; the result of a lookup does not depend on the hash.
#[derive(Debug)]
pub(super) struct Index {
    slots: Vec<u32>,
    used: usize,
    hasher: RandomState,
}

impl Index {
    pub(super) fn build(document: &Document, first: u32, end: u32) -> Self {
        let mut index = Self { slots: vec![EMPTY; 64], used: 0, hasher: RandomState::new() };
        let mut child = first;
        while child < end {
            let Some(record) = document.record(child) else { break };
            index.insert(document, record.key, child);
            child = document.subtree_end(child);
        }
        index
    }

    pub(super) fn insert(&mut self, document: &Document, key: Span, at: u32) -> Option<u32> {
        if self.used.saturating_mul(2) > self.slots.len() {
            self.grow(document);
        }
        let wanted = document.text_of(key);
        let mut probe = self.probe(wanted);
        while let Some(slot) = self.slots.get_mut(probe.at) {
            if *slot == EMPTY {
                *slot = at;
                self.used = self.used.saturating_add(1);
                return None;
            }
            let same = document.record(*slot).is_some_and(|record| document.text_of(record.key) == wanted);
            if same {
                return Some(core::mem::replace(slot, at));
            }
            probe.step();
        }
        None
    }

    fn grow(&mut self, document: &Document) {
        let larger = vec![EMPTY; self.slots.len().saturating_mul(2)];
        for at in core::mem::replace(&mut self.slots, larger) {
            let Some(record) = document.record(at) else { continue };
            let mut probe = self.probe(document.text_of(record.key));
            while let Some(slot) = self.slots.get_mut(probe.at) {
                if *slot == EMPTY {
                    *slot = at;
                    break;
                }
                probe.step();
            }
        }
    }

    fn probe(&self, key: &str) -> Probe {
        let mask = self.slots.len().saturating_sub(1);
        let [a, b, c, d, ..] = self.hasher.hash_one(key).to_le_bytes();
        Probe { at: wide(u32::from_le_bytes([a, b, c, d])) & mask, mask }
    }
}

/// A linear probe sequence. The number of slots is a power of two, and at least about half of them are empty,
/// so every sequence reaches an empty slot.
struct Probe {
    at: usize,
    mask: usize,
}

impl Probe {
    fn step(&mut self) {
        self.at = self.at.wrapping_add(1) & self.mask;
    }
}
