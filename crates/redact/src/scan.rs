//! Finds registered values in a text that is read byte by byte.

use std::ops::Range;

use crate::automaton::{Automaton, State};
use crate::letters::{LetterReader, is_gap_start};
use crate::spans::Spans;

/// Automata for the forms of the values.
#[derive(Default)]
pub(crate) struct Needles {
    /// All forms of the values.
    pub(crate) whole: Automaton,
    /// The forms that an encoder may break into lines, without the line breaks. Each is also in `whole`.
    pub(crate) encodings: Automaton,
}

/// State of a search. Positions are counted from the start of the text.
#[derive(Default)]
pub(crate) struct Scan {
    state: State,
    found: Spans,
    letters: LetterReader,
}

/// Flag of a byte that belongs to a value.
pub(crate) const COVERED: u8 = 1;
/// Flag of a byte whose predecessor belongs to the same value.
pub(crate) const JOINED: u8 = 2;

impl Scan {
    /// Reads the byte at position `at`. `before` must contain at least the preceding bytes that may be the
    /// start of a value.
    pub(crate) fn read(&mut self, needles: &Needles, before: &[u8], byte: u8, at: u64) {
        if !self.letters.is_active() && is_gap_start(byte) {
            let open = needles.whole.open(self.state);
            if open > 0 {
                let tail = before.get(before.len().saturating_sub(open)..).unwrap_or_default();
                self.letters.begin(&needles.encodings, tail, at);
            }
        }
        if self.letters.is_active() {
            self.letters.read(&needles.encodings, byte, at);
        }
        self.state = needles.whole.step(self.state, byte);
        let (end, length) = (at.saturating_add(1), needles.whole.match_length(self.state));
        if length > 0 {
            self.found.cover(end.saturating_sub(length as u64), end);
        }
    }

    /// Returns how many of the first bytes need not be read, because no value is open and none of them starts one. Most
    /// texts consist of such bytes.
    pub(crate) fn skippable(&self, needles: &Needles, bytes: &[u8]) -> usize {
        if self.letters.is_active() { 0 } else { needles.whole.skippable(self.state, bytes) }
    }

    /// Returns true if a value was found and not dropped yet.
    pub(crate) fn has_found(&self) -> bool {
        !self.found.is_empty() || self.letters.has_found()
    }

    /// Returns the position before which no later byte can complete a value. The text ends at `end`.
    pub(crate) fn safe_end(&self, needles: &Needles, end: u64) -> u64 {
        let safe = end.saturating_sub(needles.whole.open(self.state) as u64);
        self.letters.open_start(&needles.encodings).map_or(safe, |from| safe.min(from))
    }

    /// Returns the flags of each byte of a part, or `None` if no value was found.
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

    /// Drops values that end at or before `until`.
    pub(crate) fn forget(&mut self, until: u64) {
        self.found.forget(until);
        self.letters.forget(until);
    }
}
