//! Paints frames: finished lines enter the scrollback, the view stays below them.
//!
//! Every movement is relative to the cursor, which is inside the view. The painter therefore needs neither the place
//! of the view on the screen nor a scroll region, and finished lines leave the screen as the lines of any program do.

mod edit;
mod rows;

use std::fmt::Write as _;
use std::io::{self, Write};

use ratatui_core::text::Line;

use self::edit::write_change;
use super::ansi::{Cell, to_cells, to_view_cells, width_of, write_cells, write_cells_at};
use crate::state::View;

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
    /// True if the view is the whole screen, so its first row is that of the screen.
    is_page: bool,
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
            is_page: false,
            bytes: 0,
        }
    }

    /// Creates the painter of an empty screen that has no scrollback. Its views are as high as the screen.
    pub(crate) fn for_pages(out: W, columns: usize, rows: usize) -> Self {
        // The screen is empty and the cursor is anywhere, so the first frame begins at the corner.
        Self { is_page: true, is_stale: true, ..Self::new(out, columns, rows, false) }
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

    /// Forgets the view, which stays above the cursor or is gone. A page is painted from the corner of the screen.
    pub(crate) fn restart(&mut self) {
        (self.painted, self.caret, self.is_stale) = (Vec::new(), (0, 0), self.is_page);
    }

    /// Paints a frame. Writes nothing if nothing changed.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be written.
    pub(crate) fn paint(&mut self, finished: &[Line<'static>], view: &View) -> io::Result<()> {
        self.paint_frame(finished, view, 0)
    }

    /// Paints a view that is as high as the screen. `shift` is the number of rows by which its upper part moved up
    /// since the frame before, or down if it is negative.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be written.
    pub(crate) fn paint_page(&mut self, page: &View, shift: isize) -> io::Result<()> {
        self.paint_frame(&[], page, shift)
    }

    fn paint_frame(&mut self, finished: &[Line<'static>], view: &View, shift: isize) -> io::Result<()> {
        let width = self.columns.saturating_sub(1).max(1);
        let mut rows: Vec<Vec<Cell>> = view.lines.iter().map(|line| to_view_cells(line, width)).collect();
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
        self.shift_rows(&mut out, &rows, shift);
        let finished: Vec<Vec<Cell>> = finished.iter().map(|line| to_cells(line, width)).collect();
        let count = finished.len();
        if self.can_edit(&finished, rows.len()) {
            // The finished lines grow out of the view: the rows that they have in common are not written again.
            let target = [finished, rows.clone()].concat();
            self.align(&mut out, &target);
            self.write_view(&mut out, &target, (count.saturating_add(caret.0), caret.1));
        } else {
            self.write_finished(&mut out, &finished);
            self.write_view(&mut out, &rows, caret);
        }
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

    /// Returns true if the finished lines and the new view fit on the screen, so each of their rows can be reached.
    fn can_edit(&self, finished: &[Vec<Cell>], height: usize) -> bool {
        // A terminal that joins nothing may wrap a finished line, which then takes more rows.
        let is_certain = !finished.iter().flatten().any(Cell::is_uncertain);
        let is_known = !self.is_stale && !self.painted.is_empty();
        is_known && is_certain && finished.len().saturating_add(height) <= self.rows
    }

    /// Writes finished lines in place of the view.
    fn write_finished(&mut self, out: &mut String, finished: &[Vec<Cell>]) {
        if finished.is_empty() {
            return;
        }
        self.move_to_top(out);
        for line in finished {
            write_cells(out, line);
            out.push_str("\x1b[K\r\n");
        }
        // The rows of the view were overwritten.
        self.is_stale = true;
    }

    /// Moves the cursor to the beginning of the view.
    fn move_to_top(&mut self, out: &mut String) {
        if self.is_page {
            out.push_str("\x1b[H");
        } else {
            out.push('\r');
            up(out, self.caret.0);
        }
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
                None => write_cells_at(out, row, 0),
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

    /// Writes lines at the cursor, below which nothing is painted.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be written.
    pub(crate) fn print_lines(&mut self, lines: &[Line<'static>]) -> io::Result<()> {
        let mut out = String::new();
        for line in lines {
            write_cells(&mut out, &to_cells(line, self.columns.saturating_sub(1)));
            out.push_str("\r\n");
        }
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
