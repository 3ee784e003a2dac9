//! What is kept of a command besides its programs: each path and each danger once.

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
    /// Notes a path that is written.
    pub(super) fn write(&mut self, path: String) {
        if self.written.contains(&path) {
            return;
        }
        if self.writes.len() >= MAX_KEPT {
            self.full = true;
            return;
        }
        self.written.insert(path.clone());
        self.writes.push(path);
    }

    /// Notes a danger.
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

    /// Adds what the written paths mean.
    pub(super) fn finish(mut self, work: &mut Work) -> Self {
        for path in std::mem::take(&mut self.writes) {
            dangers::of_write(&path, &mut self);
            self.writes.push(path);
        }
        if self.full {
            work.exceed(Excess::Paths);
        }
        self
    }
}
