//! The composer: a text of several lines with a caret, folded pastes, and a history.

mod history;
mod layout;
#[cfg(test)]
mod tests;

use std::time::Duration;

use unicode_segmentation::UnicodeSegmentation as _;
use windlass_text::count_noun;

pub(crate) use self::history::History;
use crate::input::Key;

/// Pastes with more lines or bytes are folded into a mark.
const FOLD_LINES: usize = 10;
const FOLD_BYTES: usize = 1_000;
/// Maximum size of the text with its pastes, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Enter within this time of a character can be a part of a paste of a terminal without marks.
const BURST: Duration = Duration::from_millis(5);
/// Time without further input after Enter at the end of a burst, before it counts. The pieces of a paste come faster.
const SETTLE: Duration = Duration::from_millis(60);

/// Text that is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Composer {
    text: String,
    /// Byte position in `text`, at the boundary of a grapheme cluster.
    caret: usize,
    /// Folded pastes: the mark in `text`, and the pasted text.
    pastes: Vec<(String, String)>,
    /// Number of folded pastes, for the names of the marks.
    count: usize,
    /// The time of the newest character.
    typed: Option<Duration>,
    /// The time of Enter at the end of a burst. It submits the text, unless more text follows.
    waiting_enter: Option<Duration>,
    /// The time of the newest key of a burst with several lines.
    pasting: Option<Duration>,
}

impl Composer {
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the text with the marks of folded pastes.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text before the caret.
    pub(crate) fn text_before_caret(&self) -> &str {
        self.text.get(..self.caret).unwrap_or_default()
    }

    /// Returns the whole text, with the pastes in place of their marks.
    pub(crate) fn whole_text(&self) -> String {
        let mut text = self.text.clone();
        for (mark, paste) in &self.pastes {
            text = text.replacen(mark.as_str(), paste, 1);
        }
        text
    }

    /// Returns the whole text and empties the composer.
    pub(crate) fn take(&mut self) -> String {
        let text = self.whole_text();
        self.clear();
        text
    }

    pub(crate) fn clear(&mut self) {
        let count = self.count;
        *self = Self { count, ..Self::default() };
    }

    /// Replaces the text, and puts the caret at its end.
    pub(crate) fn set(&mut self, text: &str) {
        self.clear();
        self.paste(text);
    }

    /// Inserts a text at the caret. A large one is folded.
    pub(crate) fn paste(&mut self, text: &str) {
        let room = MAX_BYTES.saturating_sub(self.size());
        let text = clean(text.get(..text.floor_char_boundary(room)).unwrap_or_default());
        let lines = text.lines().count();
        if lines <= FOLD_LINES && text.len() <= FOLD_BYTES {
            self.insert(&text);
            return;
        }
        self.count = self.count.saturating_add(1);
        let mark = format!("[paste {}: {}, {} bytes]", self.count, count_noun(lines, "line"), text.len());
        self.insert(&mark);
        self.pastes.push((mark, text));
    }

    fn size(&self) -> usize {
        self.pastes.iter().fold(self.text.len(), |sum, (_, paste)| sum.saturating_add(paste.len()))
    }

    fn insert(&mut self, text: &str) {
        self.text.insert_str(self.caret, text);
        self.caret = self.caret.saturating_add(text.len());
    }

    /// Replaces the last bytes before the caret by a text.
    pub(crate) fn replace_before(&mut self, bytes: usize, text: &str) {
        let start = self.text.floor_char_boundary(self.caret.saturating_sub(bytes));
        self.remove(start, self.caret);
        self.insert(text);
    }

    /// Takes Enter at the end of a burst of characters, as a paste without marks or another program sends them. Returns
    /// false for Enter of a person.
    ///
    /// Enter within a burst is a line feed if more text follows it, and otherwise counts after [`SETTLE`]. A burst of
    /// several lines is a paste, whose last line feed submits nothing.
    pub(crate) fn take_burst_enter(&mut self, now: Duration) -> bool {
        let is_burst = self.typed.is_some_and(|at| now.saturating_sub(at) <= BURST);
        if self.is_pasting(now) {
            self.insert("\n");
            self.pasting = Some(now);
        } else if is_burst {
            self.waiting_enter = Some(now);
        }
        is_burst || self.pasting == Some(now)
    }

    fn is_pasting(&self, now: Duration) -> bool {
        self.pasting.is_some_and(|at| now.saturating_sub(at) <= SETTLE)
    }

    /// Returns true while an Enter waits for its time.
    pub(crate) fn has_waiting_enter(&self) -> bool {
        self.waiting_enter.is_some()
    }

    /// Applies text that follows an Enter of its burst: the Enter is a line feed of a paste.
    pub(crate) fn continue_burst(&mut self, now: Duration) {
        if self.waiting_enter.take().is_some() {
            self.insert("\n");
            self.pasting = Some(now);
        } else if self.is_pasting(now) {
            self.pasting = Some(now);
        }
    }

    /// Returns true if the Enter that waited counts now. `is_idle` is true if no input was pending at `now`.
    pub(crate) fn settle_enter(&mut self, now: Duration, is_idle: bool) -> bool {
        let is_due = is_idle && self.waiting_enter.is_some_and(|at| now.saturating_sub(at) >= SETTLE);
        if is_due {
            self.waiting_enter = None;
        }
        is_due
    }

    /// Ends the wait of an Enter. Returns false if none waits.
    pub(crate) fn end_waiting_enter(&mut self) -> bool {
        self.waiting_enter.take().is_some()
    }

    /// Applies a key of an editor. Returns false if the key has another meaning.
    pub(crate) fn apply(&mut self, key: Key, now: Duration) -> bool {
        match key {
            Key::Char(character) => {
                self.typed = Some(now);
                if self.size() < MAX_BYTES && !character.is_control() {
                    self.insert(character.encode_utf8(&mut [0; 4]));
                }
            }
            Key::NewLine => self.insert("\n"),
            Key::Left => self.caret = self.previous_boundary(),
            Key::Right => self.caret = self.next_boundary(),
            Key::Home => self.caret = self.line_start(),
            Key::End => self.caret = self.line_end(),
            Key::WordLeft => self.caret = self.word_start(),
            Key::WordRight => self.caret = self.word_end(),
            Key::Backspace => self.remove(self.previous_boundary(), self.caret),
            Key::Delete => self.remove(self.caret, self.next_boundary()),
            Key::DeleteWord => self.remove(self.word_start(), self.caret),
            Key::DeleteToStart => self.remove(self.line_start(), self.caret),
            Key::DeleteToEnd => self.remove(self.caret, self.line_end()),
            _ => return false,
        }
        true
    }

    /// Moves the caret to the line above. Returns false in the first line.
    pub(crate) fn move_up(&mut self) -> bool {
        let start = self.line_start();
        if start == 0 {
            return false;
        }
        let column = self.caret.saturating_sub(start);
        self.caret = start.saturating_sub(1);
        let above = self.line_start();
        self.caret = self.text.floor_char_boundary(above.saturating_add(column).min(self.caret));
        true
    }

    /// Moves the caret to the line below. Returns false in the last line.
    pub(crate) fn move_down(&mut self) -> bool {
        let end = self.line_end();
        if end == self.text.len() {
            return false;
        }
        let column = self.caret.saturating_sub(self.line_start());
        self.caret = end.saturating_add(1);
        let below_end = self.line_end();
        self.caret = self.text.floor_char_boundary(self.caret.saturating_add(column).min(below_end));
        true
    }

    /// Returns the boundary before the caret. The mark of a paste is one unit.
    fn previous_boundary(&self) -> usize {
        let before = self.text_before_caret();
        if let Some((mark, _)) = self.pastes.iter().find(|(mark, _)| before.ends_with(mark.as_str())) {
            return self.caret.saturating_sub(mark.len());
        }
        before.grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn next_boundary(&self) -> usize {
        let rest = self.text.get(self.caret..).unwrap_or_default();
        if let Some((mark, _)) = self.pastes.iter().find(|(mark, _)| rest.starts_with(mark.as_str())) {
            return self.caret.saturating_add(mark.len());
        }
        let step = rest.graphemes(true).next().map_or(0, str::len);
        self.caret.saturating_add(step)
    }

    fn line_start(&self) -> usize {
        self.text_before_caret().rfind('\n').map_or(0, |at| at.saturating_add(1))
    }

    fn line_end(&self) -> usize {
        let rest = self.text.get(self.caret..).unwrap_or_default();
        rest.find('\n').map_or(self.text.len(), |at| self.caret.saturating_add(at))
    }

    fn word_start(&self) -> usize {
        let before = self.text_before_caret().trim_end();
        before.rfind(char::is_whitespace).map_or(0, |at| {
            let width = before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            at.saturating_add(width)
        })
    }

    fn word_end(&self) -> usize {
        let rest = self.text.get(self.caret..).unwrap_or_default();
        let blank = rest.len().saturating_sub(rest.trim_start().len());
        let word = rest.get(blank..).unwrap_or_default();
        let length = word.find(char::is_whitespace).unwrap_or(word.len());
        self.caret.saturating_add(blank).saturating_add(length)
    }

    fn remove(&mut self, start: usize, end: usize) {
        self.text.replace_range(start..end, "");
        self.caret = start;
        let text = &self.text;
        self.pastes.retain(|(mark, _)| text.contains(mark.as_str()));
    }
}

/// Returns a text without the characters that a terminal would interpret.
fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', "    ");
    text.chars().filter(|character| *character == '\n' || !character.is_control()).collect()
}
