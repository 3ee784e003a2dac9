//! Collector of the paths and dangers of a command, without duplicates.

use std::collections::HashSet;

use super::{Danger, dangers};
use crate::work::{Excess, MAX_KEPT, Work};

#[derive(Default)]
pub(super) struct Notes {
    pub(super) writes: Vec<String>,
    pub(super) dangers: Vec<Danger>,
    pub(super) partial: bool,
    written: HashSet<String>,
    known: HashSet<Danger>,
    full: bool,
}

impl Notes {
    /// Records a written path.
    pub(super) fn write(&mut self, path: &str) {
        if self.written.contains(path) {
            return;
        }
        if self.writes.len() >= MAX_KEPT {
            self.full = true;
            return;
        }
        self.written.insert(path.to_owned());
        self.writes.push(path.to_owned());
    }

    /// Records a danger.
    pub(super) fn danger(&mut self, danger: Danger) {
        if self.known.contains(&danger) {
            return;
        }
        if self.dangers.len() >= MAX_KEPT {
            self.full = true;
            return;
        }
        self.known.insert(danger.clone());
        self.dangers.push(danger);
    }

    /// Records the dangers of all written paths, and reports an excess if an entry was dropped.
    pub(super) fn finish(mut self, work: &mut Work) -> Self {
        for path in std::mem::take(&mut self.writes) {
            dangers::record_write(&path, &mut self);
            self.writes.push(path);
        }
        if self.full {
            work.exceed(Excess::Paths);
        }
        self
    }
}
