//! Styled lines as the bytes of a terminal.

use std::fmt::Write as _;

use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::Line;
use unicode_segmentation::UnicodeSegmentation as _;
use windlass_screen::text_width;

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

fn write_style(out: &mut String, style: Style) {
    out.push_str("\x1b[0");
    let codes = [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
        (Modifier::CROSSED_OUT, 9),
    ];
    for (modifier, code) in codes {
        if style.add_modifier.contains(modifier) {
            let _ = write!(out, ";{code}");
        }
    }
    write_color(out, style.fg, 30);
    write_color(out, style.bg, 40);
    out.push('m');
}

/// Appends the code of a color; `base` is 30 for the text and 40 for its background.
fn write_color(out: &mut String, color: Option<Color>, base: u8) {
    let bright = base.saturating_add(60);
    let named = |at: u8| base.saturating_add(at);
    let code = match color {
        None | Some(Color::Reset) => return,
        Some(Color::Rgb(red, green, blue)) => {
            let _ = write!(out, ";{};2;{red};{green};{blue}", named(8));
            return;
        }
        Some(Color::Indexed(index)) => {
            let _ = write!(out, ";{};5;{index}", named(8));
            return;
        }
        Some(Color::Black) => named(0),
        Some(Color::Red) => named(1),
        Some(Color::Green) => named(2),
        Some(Color::Yellow) => named(3),
        Some(Color::Blue) => named(4),
        Some(Color::Magenta) => named(5),
        Some(Color::Cyan) => named(6),
        Some(Color::Gray) => named(7),
        Some(Color::DarkGray) => bright,
        Some(Color::LightRed) => bright.saturating_add(1),
        Some(Color::LightGreen) => bright.saturating_add(2),
        Some(Color::LightYellow) => bright.saturating_add(3),
        Some(Color::LightBlue) => bright.saturating_add(4),
        Some(Color::LightMagenta) => bright.saturating_add(5),
        Some(Color::LightCyan) => bright.saturating_add(6),
        Some(Color::White) => bright.saturating_add(7),
    };
    let _ = write!(out, ";{code}");
}
