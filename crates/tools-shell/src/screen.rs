//! Output of a program in a terminal: as text in the order of arrival, and as the visible screen.

use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::kept::HeadAndTail;

/// A longer line without an end is emitted in parts of this size, in bytes.
const LINE_BYTES: usize = 8 * 1024;

/// The size of a terminal in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) rows: NonZeroU16,
    pub(crate) columns: NonZeroU16,
}

impl Size {
    const MOST_ROWS: u16 = 200;
    const MOST_COLUMNS: u16 = 400;

    /// Returns the requested size within the limits. The default is 24 rows and 80 columns.
    pub(crate) fn clamp(rows: Option<u16>, columns: Option<u16>) -> Self {
        let bounded = |number: Option<u16>, usual: u16, most: u16| {
            NonZeroU16::new(number.unwrap_or(usual).min(most)).unwrap_or(NonZeroU16::MIN)
        };
        Self { rows: bounded(rows, 24, Self::MOST_ROWS), columns: bounded(columns, 80, Self::MOST_COLUMNS) }
    }
}

/// The screen of a terminal, and its output as text.
pub(crate) struct Screen {
    /// `None` after the emulator panicked on a sequence.
    emulator: Option<vt100::Parser>,
    sequences: vte::Parser,
    text: Text,
}

impl Screen {
    pub(crate) fn new(size: Size) -> Self {
        let emulator = vt100::Parser::new(size.rows, size.columns, 0);
        Self { emulator: Some(emulator), sequences: vte::Parser::new(), text: Text::default() }
    }

    /// Processes output of the program, and appends its complete lines to `text`.
    pub(crate) fn push(&mut self, bytes: &[u8], text: &mut HeadAndTail) {
        if let Some(mut emulator) = self.emulator.take() {
            // Output of a program must not end the call, so an emulator that panics is discarded.
            let shown = catch_unwind(AssertUnwindSafe(|| {
                emulator.process(bytes);
                emulator
            }));
            self.emulator = shown.ok();
        }
        self.sequences.advance(&mut self.text, bytes);
        text.push(std::mem::take(&mut self.text.ended).as_bytes());
    }

    /// Appends the unfinished line to `text`.
    pub(crate) fn flush(&mut self, text: &mut HeadAndTail) {
        self.text.flush("");
        text.push(std::mem::take(&mut self.text.ended).as_bytes());
    }

    /// Returns whether the program uses the alternate screen, so that its output in the order of arrival is
    /// meaningless.
    pub(crate) fn is_drawn_on(&self) -> bool {
        self.emulator.as_ref().is_some_and(|emulator| emulator.screen().alternate_screen())
    }

    /// Returns the visible screen without blank lines at its end, or `None` without an emulator.
    pub(crate) fn visible_text(&self) -> Option<String> {
        let screen = self.emulator.as_ref()?.screen();
        let (row, column) = screen.cursor_position();
        let (rows, columns) = screen.size();
        Some(format!(
            "[screen of {rows} rows and {columns} columns; cursor at row {}, column {}]\n{}",
            row.saturating_add(1),
            column.saturating_add(1),
            screen.contents().trim_end_matches('\n')
        ))
    }
}

/// Output as text, without cursor movements, colours and bells. Of a line that is overwritten several times,
/// only the last version is emitted.
#[derive(Default)]
struct Text {
    ended: String,
    line: String,
    is_returned: bool,
}

impl Text {
    fn flush(&mut self, end: &str) {
        self.ended.push_str(&std::mem::take(&mut self.line));
        self.ended.push_str(end);
        self.is_returned = false;
    }

    fn put_character(&mut self, character: char) {
        if self.is_returned {
            self.line.clear();
            self.is_returned = false;
        }
        if self.line.len() >= LINE_BYTES {
            self.flush("");
        }
        self.line.push(character);
    }
}

impl vte::Perform for Text {
    fn print(&mut self, character: char) {
        self.put_character(character);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => self.flush("\n"),
            b'\r' => self.is_returned = true,
            b'\t' => self.put_character('\t'),
            8 => drop(self.line.pop()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
