//! What a program writes to its terminal: as text in the order in which it came, and as the screen that a human
//! would see.

use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::kept::Kept;

/// A line that nobody ends is told in pieces.
const LINE_BYTES: usize = 8 * 1024;

/// How large a terminal is, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) rows: NonZeroU16,
    pub(crate) columns: NonZeroU16,
}

impl Size {
    const MOST_ROWS: u16 = 200;
    const MOST_COLUMNS: u16 = 400;

    /// The size that is asked for, in bounds; what is not said is as on every terminal.
    pub(crate) fn of(rows: Option<u16>, columns: Option<u16>) -> Self {
        let bounded = |number: Option<u16>, usual: u16, most: u16| {
            NonZeroU16::new(number.unwrap_or(usual).min(most)).unwrap_or(NonZeroU16::MIN)
        };
        Self { rows: bounded(rows, 24, Self::MOST_ROWS), columns: bounded(columns, 80, Self::MOST_COLUMNS) }
    }
}

/// A terminal's screen, and its text.
pub(crate) struct Screen {
    /// None once a sequence was too much for it.
    emulator: Option<vt100::Parser>,
    sequences: vte::Parser,
    text: Text,
}

impl Screen {
    pub(crate) fn new(size: Size) -> Self {
        let emulator = vt100::Parser::new(size.rows, size.columns, 0);
        Self { emulator: Some(emulator), sequences: vte::Parser::new(), text: Text::default() }
    }

    /// Takes what was written, and hands on its text.
    pub(crate) fn push(&mut self, bytes: &[u8], text: &mut Kept) {
        if let Some(mut emulator) = self.emulator.take() {
            // What a program writes must not end the call: an emulator that fails is given up.
            let shown = catch_unwind(AssertUnwindSafe(|| {
                emulator.process(bytes);
                emulator
            }));
            self.emulator = shown.ok();
        }
        self.sequences.advance(&mut self.text, bytes);
        text.push(std::mem::take(&mut self.text.ended).as_bytes());
    }

    /// Hands on the line that has no end yet.
    pub(crate) fn flush(&mut self, text: &mut Kept) {
        self.text.flush("");
        text.push(std::mem::take(&mut self.text.ended).as_bytes());
    }

    /// Whether the program draws on the whole screen, so that its text in the order of coming says nothing.
    pub(crate) fn is_drawn_on(&self) -> bool {
        self.emulator.as_ref().is_some_and(|emulator| emulator.screen().alternate_screen())
    }

    /// The screen as a human would see it, without what is blank below.
    pub(crate) fn shown(&self) -> Option<String> {
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

/// Text without what moves, colours or rings. A line that is written over and over is told as it was last.
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

    fn put(&mut self, character: char) {
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
        self.put(character);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => self.flush("\n"),
            b'\r' => self.is_returned = true,
            b'\t' => self.put('\t'),
            8 => drop(self.line.pop()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
