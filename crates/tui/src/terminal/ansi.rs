//! Styled lines as the bytes of a terminal.

use std::fmt::Write as _;

use ratatui_core::style::Style;
use ratatui_core::text::Line;
use unicode_segmentation::UnicodeSegmentation as _;
use windlass_screen::{encode_style, text_width};

/// Cell of a row: a grapheme cluster, its width and its style.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) cluster: String,
    pub(super) width: usize,
    /// Columns on a terminal that displays each character of a cluster on its own: a family of three has six.
    separate_width: usize,
    pub(super) style: Style,
}

impl Cell {
    /// Returns true if terminals differ in the width of the cluster.
    pub(super) fn is_uncertain(&self) -> bool {
        self.separate_width != self.width
    }
}

/// Returns the columns of a cluster on a terminal that joins nothing.
fn measure_separately(cluster: &str) -> usize {
    if cluster.is_ascii() {
        return cluster.len();
    }
    cluster.chars().map(|character| text_width(character.encode_utf8(&mut [0; 4]))).sum()
}

/// Divides a line into cells, and cuts it at `columns`. Control characters are left out.
pub(super) fn to_cells(line: &Line<'_>, columns: usize) -> Vec<Cell> {
    let (mut cells, mut column) = (Vec::new(), 0_usize);
    for span in &line.spans {
        let style = line.style.patch(span.style);
        for cluster in span.content.graphemes(true) {
            if cluster.chars().any(char::is_control) {
                continue;
            }
            let width = text_width(cluster);
            column = column.saturating_add(width);
            if column > columns {
                return cells;
            }
            let separate_width = measure_separately(cluster);
            cells.push(Cell { cluster: cluster.to_owned(), width, separate_width, style });
        }
    }
    cells
}

/// Returns the number of columns of some cells.
pub(super) fn width_of(cells: &[Cell]) -> usize {
    cells.iter().map(|cell| cell.width).sum()
}

/// Divides a line of the view into cells, and cuts it so that it does not reach the edge of any terminal.
pub(super) fn to_view_cells(line: &Line<'_>, columns: usize) -> Vec<Cell> {
    let mut cells = to_cells(line, columns);
    let mut column = 0_usize;
    let fitting = cells.iter().take_while(|cell| {
        let end = column.saturating_add(cell.separate_width);
        column = column.saturating_add(cell.width);
        end <= columns
    });
    let count = fitting.count();
    cells.truncate(count);
    cells
}

/// Appends cells with their styles, and ends without a style.
pub(super) fn write_cells(out: &mut String, cells: &[Cell]) {
    write_styled(out, cells, None);
}

/// Like [`write_cells`], for cells that begin at a column of the view. After a cluster whose width is uncertain, the
/// column is set, so the following cells are at their columns on every terminal.
pub(super) fn write_cells_at(out: &mut String, cells: &[Cell], column: usize) {
    write_styled(out, cells, Some(column));
}

fn write_styled(out: &mut String, cells: &[Cell], mut column: Option<usize>) {
    let mut current = Style::default();
    for cell in cells {
        if cell.style != current {
            write_style(out, cell.style);
            current = cell.style;
        }
        out.push_str(&cell.cluster);
        column = column.map(|column| column.saturating_add(cell.width));
        if let Some(column) = column.filter(|_| cell.is_uncertain()) {
            // Columns count from 1.
            let _ = write!(out, "\x1b[{}G", column.saturating_add(1));
        }
    }
    if current != Style::default() {
        out.push_str("\x1b[m");
    }
}

/// Appends a style in place of all earlier ones.
fn write_style(out: &mut String, style: Style) {
    let codes = encode_style(style);
    let separator = if codes.is_empty() { "" } else { ";" };
    let _ = write!(out, "\x1b[0{separator}{codes}m");
}
