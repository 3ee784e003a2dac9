//! Finds the registered values in a text that is read byte by byte.

use std::ops::Range;

use crate::automaton::{Automaton, State};
use crate::letters::{LetterReader, is_gap_start};
use crate::spans::Spans;

/// The strings that are searched for.
#[derive(Default)]
pub(crate) struct Needles {
    /// All forms of the values.
    pub(crate) whole: Automaton,
    /// The forms that a program may break into lines, without the line breaks. Each is one of `whole`, too.
    pub(crate) encodings: Automaton,
}

/// The state of a search. Places count from the beginning of the text.
#[derive(Default)]
pub(crate) struct Scan {
    state: State,
    found: Spans,
    letters: LetterReader,
}

/// A flag of a byte that belongs to a value.
pub(crate) const COVERED: u8 = 1;
/// A flag of a byte whose predecessor belongs to the same value.
pub(crate) const JOINED: u8 = 2;

impl Scan {
    /// Reads the byte at the place `at`. `before` is the text before it, at least as far as it may be the
    /// beginning of a value.
    pub(crate) fn read(&mut self, needles: &Needles, before: &[u8], byte: u8, at: u64) {
        if !self.letters.is_active() && is_gap_start(byte) {
            let open = needles.whole.open(self.state);
            let tail = before.get(before.len().saturating_sub(open)..).unwrap_or_default();
            self.letters.begin(&needles.encodings, tail, at);
        }
        if self.letters.is_active() {
            self.letters.read(&needles.encodings, byte, at);
        }
        self.state = needles.whole.step(self.state, byte);
        let (end, length) = (at.saturating_add(1), needles.whole.found(self.state));
        if length > 0 {
            self.found.cover(end.saturating_sub(length as u64), end);
        }
    }

    /// Returns true if a value was found and not yet forgotten.
    pub(crate) fn has_found(&self) -> bool {
        !self.found.is_empty() || self.letters.has_found()
    }

    /// Returns the place before which no later byte makes a value. The text ends at `end`.
    pub(crate) fn safe_end(&self, needles: &Needles, end: u64) -> u64 {
        let safe = end.saturating_sub(needles.whole.open(self.state) as u64);
        self.letters.open_start(&needles.encodings).map_or(safe, |from| safe.min(from))
    }

    /// Returns how each byte of a part is covered; nothing where no value is in it.
    pub(crate) fn marks(&self, part: &Range<u64>) -> Option<Vec<u8>> {
        if !self.has_found() {
            return None;
        }
        let place = |at: u64| usize::try_from(at.saturating_sub(part.start)).unwrap_or(usize::MAX);
        let length = place(part.end);
        let mut marks = vec![0; length];
        let mut paint = |value: &Range<u64>, is_joined: bool| {
            let (from, to) = (place(value.start), place(value.end).min(length));
            let is_first_here = value.start >= part.start && !is_joined;
            let joined_from = from.saturating_add(usize::from(is_first_here));
            marks.get_mut(from..to).unwrap_or_default().iter_mut().for_each(|mark| *mark |= COVERED);
            marks.get_mut(joined_from..to).unwrap_or_default().iter_mut().for_each(|mark| *mark |= JOINED);
        };
        self.found.starting_before(part.end).for_each(|value| paint(value, false));
        self.letters.paint(part.end, paint);
        Some(marks)
    }

    /// Drops what ends at or before `until`.
    pub(crate) fn forget(&mut self, until: u64) {
        self.found.forget(until);
        self.letters.forget(until);
    }
}
