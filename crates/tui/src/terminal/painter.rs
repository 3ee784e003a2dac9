//! Paints frames: finished lines enter the scrollback, the view stays below them.
//!
//! Every movement is relative to the cursor, which is inside the view. The painter therefore needs neither the place
//! of the view on the screen nor a scroll region, and finished lines leave the screen as the lines of any program do.

use std::fmt::Write as _;
use std::io::{self, Write};

use ratatui_core::text::Line;

use super::ansi::{Cell, to_cells, width_of, write_cells};
use crate::state::View;

/// Finished lines of a frame up to which the view is moved down instead of being painted again.
const MOVED_LINES: usize = 8;

/// Bytes of a frame in which the cursor stays visible.
const SHORT_FRAME: usize = 128;

/// Writer of frames.
#[derive(Debug)]
pub(crate) struct Painter<W> {
    out: W,
    columns: usize,
    rows: usize,
    /// The rows of the view as the terminal displays them.
    painted: Vec<Vec<Cell>>,
    /// Row and column of the cursor in the view.
    caret: (usize, usize),
    /// The columns of the terminal when the view was painted.
    painted_columns: usize,
    /// True if the rows may differ from `painted`.
    is_stale: bool,
    is_reflowing: bool,
    bytes: u64,
}

impl<W: Write> Painter<W> {
    /// Creates the painter of a terminal whose cursor is in an empty line.
    pub(crate) fn new(out: W, columns: usize, rows: usize, is_reflowing: bool) -> Self {
        Self {
            out,
            columns,
            rows,
            painted: Vec::new(),
            caret: (0, 0),
            painted_columns: columns,
            is_stale: false,
            is_reflowing,
            bytes: 0,
        }
    }

    /// Returns the number of bytes that were written.
    #[cfg(test)]
    pub(crate) fn count_bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the writer.
    #[cfg(test)]
    pub(crate) fn writer(&mut self) -> &mut W {
        &mut self.out
    }

    /// The terminal has a new size. The next frame paints the view again.
    pub(crate) fn resize(&mut self, columns: usize, rows: usize) {
        (self.columns, self.rows, self.is_stale) = (columns, rows, true);
    }

    /// Returns the number of rows above the cursor, some of which the terminal may have wrapped anew.
    fn rows_above(&self) -> usize {
        let columns = self.columns.max(1);
        if !self.is_reflowing || columns >= self.painted_columns {
            return self.caret.0;
        }
        let count = |row: &Vec<Cell>| width_of(row).div_ceil(columns).max(1);
        let above: usize = self.painted.iter().take(self.caret.0).map(count).sum();
        above.saturating_add(self.caret.1 / columns)
    }

    /// The next frame paints everything again.
    pub(crate) fn invalidate(&mut self) {
        self.is_stale = true;
    }

    /// Paints a frame. Writes nothing if nothing changed.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be written.
    pub(crate) fn paint(&mut self, finished: &[Line<'static>], view: &View) -> io::Result<()> {
        let width = self.columns.saturating_sub(1).max(1);
        let mut rows: Vec<Vec<Cell>> = view.lines.iter().map(|line| to_cells(line, width)).collect();
        if rows.is_empty() {
            rows.push(Vec::new());
        }
        let hidden = rows.len().saturating_sub(self.rows.max(1));
        rows.drain(..hidden);
        let caret =
            (view.caret.0.saturating_sub(hidden).min(rows.len().saturating_sub(1)), view.caret.1.min(width));
        if finished.is_empty() && !self.is_stale && rows == self.painted && caret == self.caret {
            return Ok(());
        }
        let mut out = String::new();
        self.caret.0 = self.rows_above();
        let finished: Vec<Vec<Cell>> = finished.iter().map(|line| to_cells(line, width)).collect();
        self.write_finished(&mut out, &finished);
        self.write_view(&mut out, &rows, caret);
        // A terminal handles a short frame at once. In a longer one the cursor would be seen in motion.
        let out = if out.len() > SHORT_FRAME {
            format!("\x1b[?2026h\x1b[?25l{out}\x1b[?25h\x1b[?2026l")
        } else {
            format!("\x1b[?2026h{out}\x1b[?2026l")
        };
        (self.painted, self.caret, self.is_stale) = (rows, caret, false);
        self.painted_columns = self.columns;
        self.bytes = self.bytes.saturating_add(u64::try_from(out.len()).unwrap_or(u64::MAX));
        self.out.write_all(out.as_bytes())?;
        self.out.flush()
    }

    /// Writes finished lines above the view.
    fn write_finished(&mut self, out: &mut String, finished: &[Vec<Cell>]) {
        let height = self.painted.len();
        let room = self.rows.saturating_sub(height);
        let can_move = !self.is_stale && height > 0 && finished.len() <= MOVED_LINES.min(room);
        if finished.is_empty() {
            return;
        }
        if can_move {
            // Line feeds below the view make room, if necessary by scrolling the screen. Then lines are inserted above
            // the view.
            move_down(out, height.saturating_sub(1).saturating_sub(self.caret.0));
            out.extend(std::iter::repeat_n('\n', finished.len()));
            out.push('\r');
            up(out, finished.len().saturating_add(height).saturating_sub(1));
            let _ = write!(out, "\x1b[{}L", finished.len());
            for line in finished {
                write_cells(out, line);
                out.push_str("\r\n");
            }
        } else {
            self.move_to_top(out);
            for line in finished {
                write_cells(out, line);
                out.push_str("\x1b[K\r\n");
            }
            // The rows of the view were overwritten.
            self.is_stale = true;
        }
        self.caret = (0, 0);
    }

    /// Moves the cursor to the beginning of the view.
    fn move_to_top(&mut self, out: &mut String) {
        out.push('\r');
        up(out, self.caret.0);
        self.caret = (0, 0);
    }

    /// Writes the rows that differ, and leaves the cursor at the caret.
    fn write_view(&mut self, out: &mut String, rows: &[Vec<Cell>], caret: (usize, usize)) {
        if self.is_stale {
            self.move_to_top(out);
            out.push_str("\x1b[J");
            self.painted.clear();
        }
        // The row of the cursor exists even if nothing was painted.
        let mut existing = self.painted.len().max(1);
        let mut at = self.caret.0;
        for (number, row) in rows.iter().enumerate() {
            let old = self.painted.get(number);
            if old.is_some_and(|old| old == row) || (old.is_none() && row.is_empty() && number < existing) {
                continue;
            }
            step(out, at, number.min(existing.saturating_sub(1)));
            at = number;
            if number < existing {
                out.push('\r');
            } else {
                out.push_str("\r\n");
                existing = existing.saturating_add(1);
            }
            match old {
                Some(old) => write_change(out, old, row),
                None => write_cells(out, row),
            }
        }
        if self.painted.len() > rows.len() {
            // The view got shorter.
            step(out, at, rows.len());
            at = rows.len();
            out.push_str("\r\x1b[J");
        }
        step(out, at, caret.0);
        out.push('\r');
        right(out, caret.1);
    }

    /// Ends the view: its lines stay, and the cursor is in an empty line below it.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be written.
    pub(crate) fn leave(&mut self) -> io::Result<()> {
        let mut out = String::new();
        move_down(&mut out, self.painted.len().saturating_sub(1).saturating_sub(self.caret.0));
        out.push_str("\r\n");
        (self.painted, self.caret, self.is_stale) = (Vec::new(), (0, 0), false);
        self.out.write_all(out.as_bytes())?;
        self.out.flush()
    }

    /// Removes the view, so that another program can use the terminal.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be written.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        let mut out = String::new();
        self.move_to_top(&mut out);
        out.push_str("\x1b[J");
        (self.painted, self.caret, self.is_stale) = (Vec::new(), (0, 0), false);
        self.out.write_all(out.as_bytes())?;
        self.out.flush()
    }

    /// Writes bytes that move nothing, such as a notification.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be written.
    pub(crate) fn write_control(&mut self, bytes: &str) -> io::Result<()> {
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }
}

/// Writes the part of a row that differs from the row on the terminal.
fn write_change(out: &mut String, old: &[Cell], row: &[Cell]) {
    let same = old.iter().zip(row).take_while(|(old, new)| old == new).count();
    let (kept, changed) = row.split_at(same.min(row.len()));
    right(out, width_of(kept));
    write_cells(out, changed);
    if width_of(old) > width_of(row) {
        out.push_str("\x1b[K");
    }
}

fn up(out: &mut String, rows: usize) {
    if rows > 0 {
        let _ = write!(out, "\x1b[{rows}A");
    }
}

fn move_down(out: &mut String, rows: usize) {
    if rows > 0 {
        let _ = write!(out, "\x1b[{rows}B");
    }
}

/// Moves the cursor between two rows.
fn step(out: &mut String, from: usize, to: usize) {
    up(out, from.saturating_sub(to));
    move_down(out, to.saturating_sub(from));
}

fn right(out: &mut String, columns: usize) {
    if columns > 0 {
        let _ = write!(out, "\x1b[{columns}C");
    }
}

#[cfg(test)]
mod tests;
