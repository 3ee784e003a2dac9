//! Finds encoded values that an encoder broke into lines, such as `base64`, which breaks after 76 letters,
//! PEM (64) and `xxd -p` (60).
//!
//! A separate automaton reads the letters without the line breaks between them. It starts only at a line
//! break before which a value may have started, so ordinary text costs nothing.

use std::collections::VecDeque;
use std::ops::Range;

use crate::automaton::{Automaton, State};
use crate::spans::Spans;

/// Maximum gap between two letters, in bytes: a line break, raw or JSON-escaped, with the following
/// indentation. It bounds the bytes that a stream must hold back.
const LONGEST_GAP: usize = 16;

/// Reader that skips the gaps between letters.
#[derive(Default)]
pub(crate) struct LetterReader {
    state: State,
    is_active: bool,
    gap: Gap,
    /// Positions of the read letters in the stream. A letter that JSON escapes is longer than a byte.
    letters: VecDeque<Range<u64>>,
    /// Number of the first of these letters, counted over the whole stream.
    first: u64,
    /// End of the letter before the first one.
    before: Option<u64>,
    /// Found values, as ranges of letter numbers.
    found: Spans,
}

/// The bytes since the last letter.
#[derive(Clone, Copy, Default)]
enum Gap {
    #[default]
    None,
    /// A gap of this length.
    Open(usize),
    /// A gap that ends with backslashes. The next byte decides which character they escape.
    Escape { length: usize, slashes: usize },
}

impl Gap {
    fn length(self) -> usize {
        match self {
            Self::None => 0,
            Self::Open(length) | Self::Escape { length, .. } => length,
        }
    }
}

/// Returns true for the bytes that can start a gap.
pub(crate) fn is_gap_start(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | b'\\')
}

/// Returns true for the letters of base64, which include the hexadecimal digits.
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte)
}

impl LetterReader {
    /// Returns true while the letters so far may be the start of a value.
    pub(crate) fn is_active(&self) -> bool {
        self.is_active
    }

    /// Returns true if a value was found and not dropped yet.
    pub(crate) fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// Starts at a gap: reads the letters at the end of `text`, which ends at position `end` of the stream.
    pub(crate) fn begin(&mut self, automaton: &Automaton, text: &[u8], end: u64) {
        let read_to = self.letters.back().map_or(0, |last| last.end);
        let unread = usize::try_from(end.saturating_sub(read_to)).unwrap_or(usize::MAX);
        let count = text.iter().rev().take(unread).take_while(|byte| is_letter(**byte)).count();
        let letters = text.get(text.len().saturating_sub(count)..).unwrap_or_default();
        (self.state, self.gap, self.is_active) = (State::default(), Gap::None, false);
        let from = end.saturating_sub(count as u64);
        for (at, &letter) in (from..).zip(letters) {
            self.take(automaton, letter, at..at.saturating_add(1));
        }
    }

    /// Reads the byte at position `at`.
    pub(crate) fn read(&mut self, automaton: &Automaton, byte: u8, at: u64) {
        let (gap, end) = (std::mem::take(&mut self.gap), at.saturating_add(1));
        let length = gap.length().saturating_add(1);
        match (gap, byte) {
            (_, b'\n' | b'\r') | (Gap::Escape { .. }, b'n' | b'r') | (Gap::Open(_), b' ' | b'\t') => {
                self.widen(Gap::Open(length));
            }
            (Gap::Escape { slashes, .. }, b'\\') => {
                self.widen(Gap::Escape { length, slashes: slashes.saturating_add(1) });
            }
            (_, b'\\') => self.widen(Gap::Escape { length, slashes: 1 }),
            (Gap::Escape { slashes, .. }, b'/') => {
                self.take(automaton, byte, at.saturating_sub(slashes as u64)..end);
            }
            (Gap::Escape { .. }, _) => self.stop(),
            (_, letter) if is_letter(letter) => self.take(automaton, byte, at..end),
            _ => self.stop(),
        }
    }

    fn widen(&mut self, gap: Gap) {
        if gap.length() > LONGEST_GAP {
            self.stop();
        } else {
            self.gap = gap;
        }
    }

    fn take(&mut self, automaton: &Automaton, letter: u8, place: Range<u64>) {
        self.letters.push_back(place);
        self.state = automaton.step(self.state, letter);
        let (end, found) = (self.end(), automaton.match_length(self.state));
        if found > 0 {
            self.found.cover(end.saturating_sub(found as u64), end);
        }
        self.is_active = automaton.open(self.state) > 0;
        if !self.is_active {
            self.stop();
        }
    }

    /// Stops reading until the next start. Found values are kept.
    fn stop(&mut self) {
        (self.state, self.gap, self.is_active) = (State::default(), Gap::None, false);
        if self.found.is_empty() {
            (self.first, self.before) = (self.end(), None);
            self.letters.clear();
        }
    }

    /// Returns the number of the next letter.
    fn end(&self) -> u64 {
        self.first.saturating_add(self.letters.len() as u64)
    }

    /// Returns the position from which on the bytes may become a value.
    pub(crate) fn open_start(&self, automaton: &Automaton) -> Option<u64> {
        let first = self.letters.len().checked_sub(automaton.open(self.state))?;
        self.letters.get(first).filter(|_| self.is_active).map(|letter| letter.start)
    }

    /// Calls `paint` with the position of each found letter that starts before `until`. The flag is true for
    /// a letter that follows another letter of the same value without a gap.
    pub(crate) fn paint(&self, until: u64, mut paint: impl FnMut(&Range<u64>, bool)) {
        for value in self.found.starting_before(u64::MAX) {
            let skipped = value.start.saturating_sub(self.first);
            let mut last = self.before.filter(|_| value.start < self.first);
            let count = value.end.saturating_sub(value.start.max(self.first));
            let letters = self.letters.iter().skip(usize::try_from(skipped).unwrap_or(usize::MAX));
            for letter in letters.take(usize::try_from(count).unwrap_or(usize::MAX)) {
                if letter.start >= until {
                    return;
                }
                paint(letter, last == Some(letter.start));
                last = Some(letter.end);
            }
        }
    }

    /// Drops the letters that end at or before `until`.
    pub(crate) fn forget(&mut self, until: u64) {
        while let Some(letter) = self.letters.front().filter(|letter| letter.end <= until) {
            self.before = Some(letter.end);
            self.letters.pop_front();
            self.first = self.first.saturating_add(1);
        }
        self.found.forget(self.first);
    }
}
