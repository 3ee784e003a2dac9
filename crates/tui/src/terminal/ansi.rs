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
    pub(super) style: Style,
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
            cells.push(Cell { cluster: cluster.to_owned(), width, style });
        }
    }
    cells
}

/// Returns the number of columns of some cells.
pub(super) fn width_of(cells: &[Cell]) -> usize {
    cells.iter().map(|cell| cell.width).sum()
}

/// Appends cells with their styles, and ends without a style.
pub(super) fn write_cells(out: &mut String, cells: &[Cell]) {
    let mut current = Style::default();
    for cell in cells {
        if cell.style != current {
            write_style(out, cell.style);
            current = cell.style;
        }
        out.push_str(&cell.cluster);
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
