//! Rows that move: the terminal moves the displayed cells itself.

use std::fmt::Write as _;
use std::io::Write;

use super::edit::find_edit;
use super::{Painter, move_down, step, up};
use crate::terminal::ansi::Cell;

impl<W: Write> Painter<W> {
    /// Inserts or deletes rows where most of the other rows then are those of the target.
    pub(super) fn align(&mut self, out: &mut String, target: &[Vec<Cell>]) {
        let (old, new) = (self.painted.len(), target.len());
        let at = find_edit(&self.painted, target);
        if new > old && at < old {
            let count = new.saturating_sub(old);
            // Line feeds below the view make room, if necessary by scrolling the screen.
            move_down(out, old.saturating_sub(1).saturating_sub(self.caret.0));
            out.extend(std::iter::repeat_n('\n', count));
            up(out, new.saturating_sub(1).saturating_sub(at));
            let _ = write!(out, "\x1b[{count}L");
            self.painted.splice(at..at, std::iter::repeat_n(Vec::new(), count));
            self.caret.0 = at;
        } else if new < old && at < new {
            self.delete_rows(out, at, old.saturating_sub(new));
        }
    }

    /// Moves the rows of a page by `shift` rows up, or down if it is negative. The rows at the bottom that do not move
    /// stay in their places.
    pub(super) fn shift_rows(&mut self, out: &mut String, target: &[Vec<Cell>], shift: isize) {
        let count = shift.unsigned_abs();
        if shift == 0 || self.is_stale || count >= self.painted.len() || self.painted.len() != target.len() {
            return;
        }
        if shift > 0 {
            // The rows below the deleted ones move up, and the rows at the bottom return to their places.
            self.delete_rows(out, 0, count);
            let at = find_edit(&self.painted, target);
            self.insert_rows(out, at, count);
        } else {
            let at = find_edit(&self.painted, target.get(count..).unwrap_or_default());
            self.delete_rows(out, at, count);
            self.insert_rows(out, 0, count);
        }
    }

    fn delete_rows(&mut self, out: &mut String, at: usize, count: usize) {
        step(out, self.caret.0, at);
        let _ = write!(out, "\x1b[{count}M");
        self.painted.drain(at..at.saturating_add(count).min(self.painted.len()));
        self.caret.0 = at;
    }

    /// Inserts rows above others that move down, with room on the screen below them.
    fn insert_rows(&mut self, out: &mut String, at: usize, count: usize) {
        step(out, self.caret.0, at);
        if at < self.painted.len() {
            let _ = write!(out, "\x1b[{count}L");
        }
        self.painted.splice(at..at, std::iter::repeat_n(Vec::new(), count));
        self.caret.0 = at;
    }
}
