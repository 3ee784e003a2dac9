//! `Table`: table rows and cells.

use crate::Style;
use crate::markdown::blocks::Undo;
use crate::markdown::writer::Writer;

/// The outermost open table. Tables inside of it become text in its cells.
#[derive(Debug, Default)]
pub(crate) struct Table {
    depth: usize,
    is_in_row: bool,
    rows: usize,
    cells: usize,
}

/// Maximum number of cells in the delimiter row.
const MAX_CELLS: usize = 200;

impl Table {
    pub(crate) fn enter(&mut self, writer: &mut Writer) -> Undo {
        if self.depth == 0 {
            writer.gap(2);
            *self = Self::default();
        }
        self.depth = self.depth.saturating_add(1);
        Undo::Table
    }

    pub(crate) fn enter_row(&mut self, writer: &mut Writer) -> Undo {
        writer.gap(1);
        if self.depth != 1 {
            return Undo::Gap(1);
        }
        self.is_in_row = true;
        self.cells = 0;
        Undo::Row
    }

    pub(crate) fn enter_cell(&mut self, writer: &mut Writer) -> Undo {
        if self.depth != 1 || !self.is_in_row {
            writer.space();
            return Undo::Gap(1);
        }
        writer.sign("|");
        writer.space();
        writer.enter_cell();
        self.cells = self.cells.saturating_add(1);
        Undo::Cell
    }

    pub(crate) fn leave(&mut self, writer: &mut Writer) {
        self.depth = self.depth.saturating_sub(1);
        writer.gap(if self.depth == 0 { 2 } else { 1 });
    }

    pub(crate) fn leave_row(&mut self, writer: &mut Writer) {
        self.is_in_row = false;
        if self.cells == 0 {
            return;
        }
        writer.space();
        writer.sign("|");
        self.rows = self.rows.saturating_add(1);
        writer.gap(1);
        if self.rows == 1 && writer.style() == Style::Markdown {
            writer.sign(&self.rule());
            writer.gap(1);
        }
    }

    /// Returns the delimiter row below the first row.
    fn rule(&self) -> String {
        format!("|{}", "---|".repeat(self.cells.min(MAX_CELLS)))
    }
}
