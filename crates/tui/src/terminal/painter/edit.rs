//! The difference between two frames: the cells of a row, and the rows of a view.

use super::right;
use crate::terminal::ansi::{Cell, width_of, write_cells_at};

/// Writes the part of a row that differs from the row on the terminal.
pub(super) fn write_change(out: &mut String, old: &[Cell], row: &[Cell]) {
    let same = count_same(old, row);
    let (kept, changed) = row.split_at(same.min(row.len()));
    right(out, width_of(kept));
    let is_shorter = width_of(old) > width_of(row);
    let mut end = changed.len();
    if width_of(old) == width_of(row) && !row.iter().chain(old).any(Cell::is_uncertain) {
        // The end that both rows have in common is at the same columns.
        let rest = old.get(same..).unwrap_or_default();
        let tail = rest.iter().rev().zip(changed.iter().rev()).take_while(|(old, new)| old == new);
        end = end.saturating_sub(tail.count());
    }
    write_cells_at(out, changed.get(..end).unwrap_or_default(), width_of(kept));
    if is_shorter || old.iter().any(Cell::is_uncertain) {
        out.push_str("\x1b[K");
    }
}

/// Returns the number of equal cells at the beginnings of two rows.
fn count_same(old: &[Cell], row: &[Cell]) -> usize {
    old.iter().zip(row).take_while(|(old, new)| old == new).count()
}

/// Returns the row at which rows have to be inserted or deleted, so that most cells of the other rows stay.
pub(super) fn find_edit(old: &[Vec<Cell>], new: &[Vec<Cell>]) -> usize {
    let both = old.len().min(new.len());
    // The cells that stay in the rows above the edit, and in those below it.
    let above = old.iter().zip(new).map(|(old, new)| count_same(old, new));
    let below = old.iter().rev().zip(new.iter().rev()).map(|(old, new)| count_same(old, new));
    let mut below: Vec<usize> = below.take(both).collect();
    let mut kept: usize = below.iter().sum();
    let (mut best, mut at) = (kept, 0);
    for (row, same) in above.take(both).enumerate() {
        kept = kept.saturating_add(same).saturating_sub(below.pop().unwrap_or(0));
        if kept >= best {
            (best, at) = (kept, row.saturating_add(1));
        }
    }
    at
}
