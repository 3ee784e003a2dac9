//! Tables of Markdown at the width of the terminal.

use pulldown_cmark::Alignment;
use ratatui_core::text::{Line, Span};

use crate::options::RenderOptions;
use crate::theme::Role;
use crate::width::{text_width, wrap_line};

/// Narrowest column of a table. If a table does not fit, each row is rendered as a list of names and values.
const NARROWEST: usize = 6;
/// Between two columns.
const GAP: usize = 2;

/// The rows of a table. The first one is the header.
#[derive(Debug)]
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Line<'static>>>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new() }
    }

    pub(super) fn start_row(&mut self) {
        self.rows.push(Vec::new());
    }

    /// Adds a cell to the last row.
    pub(super) fn push_cell(&mut self, cell: Vec<Line<'static>>) {
        let mut spans = Vec::new();
        for line in cell {
            if !spans.is_empty() {
                spans.push(Span::raw(" "));
            }
            spans.extend(line.spans);
        }
        if let Some(row) = self.rows.last_mut() {
            row.push(Line::from(spans));
        }
    }

    pub(super) fn render(&self, columns: usize, options: RenderOptions) -> Vec<Line<'static>> {
        match self.widths(columns) {
            Some(widths) => self.render_grid(&widths, options),
            None => self.render_records(columns, options),
        }
    }

    /// Returns the widths of the columns, or `None` if they do not fit. The widest columns are narrowed first.
    fn widths(&self, columns: usize) -> Option<Vec<usize>> {
        let count = self.alignments.len();
        let gaps = count.saturating_sub(1).saturating_mul(GAP);
        let room = columns.checked_sub(gaps)?;
        let mut widths: Vec<usize> = (0..count)
            .map(|index| {
                self.rows.iter().filter_map(|row| row.get(index)).map(width).max().unwrap_or(0).max(1)
            })
            .collect();
        let total: usize = widths.iter().sum();
        if total <= room {
            return Some(widths);
        }
        let limit = column_limit(&widths, room);
        if limit < NARROWEST {
            return None;
        }
        for width in &mut widths {
            *width = (*width).min(limit);
        }
        Some(widths)
    }

    fn render_grid(&self, widths: &[usize], options: RenderOptions) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            let mut cells: Vec<Vec<Line<'static>>> = Vec::new();
            for (index, width) in widths.iter().enumerate() {
                let cell = row.get(index).cloned().unwrap_or_default();
                let cell = if number == 0 { strong(cell, options) } else { cell };
                cells.push(wrap_line(&cell, *width, &Line::default()));
            }
            let height = cells.iter().map(Vec::len).max().unwrap_or_default();
            for at in 0..height {
                lines.push(self.grid_line(&cells, at, widths));
            }
            if number == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                lines.push(Line::from(options.span(Role::Faint, rule.join(&" ".repeat(GAP)))));
            }
        }
        lines
    }

    fn grid_line(&self, cells: &[Vec<Line<'static>>], at: usize, widths: &[usize]) -> Line<'static> {
        let mut spans: Vec<Span<'static>> = Vec::new();
        let last = cells.len().saturating_sub(1);
        for (index, (cell, room)) in cells.iter().zip(widths).enumerate() {
            let empty = Line::default();
            let line = cell.get(at).unwrap_or(&empty);
            let free = room.saturating_sub(width(line));
            let before = match self.alignments.get(index) {
                Some(Alignment::Right) => free,
                Some(Alignment::Center) => free / 2,
                _ => 0,
            };
            push_spaces(before, &mut spans);
            spans.extend(line.spans.iter().cloned());
            if index < last {
                push_spaces(free.saturating_sub(before).saturating_add(GAP), &mut spans);
            }
        }
        Line::from(spans)
    }

    /// Renders each row as `name: value` lines.
    fn render_records(&self, columns: usize, options: RenderOptions) -> Vec<Line<'static>> {
        let mut rows = self.rows.iter();
        let names = rows.next().cloned().unwrap_or_default();
        let mut lines = Vec::new();
        for (number, row) in rows.enumerate() {
            if number > 0 {
                lines.push(Line::from(options.span(Role::Faint, "─".repeat(columns.min(8)))));
            }
            for (index, cell) in row.iter().enumerate() {
                let mut spans =
                    names.get(index).cloned().map(|name| strong(name, options).spans).unwrap_or_default();
                spans.push(options.span(Role::Faint, ": "));
                spans.extend(cell.spans.iter().cloned());
                lines.extend(wrap_line(&Line::from(spans), columns, &Line::from("  ")));
            }
        }
        if lines.is_empty() {
            lines.extend(names.iter().flat_map(|name| wrap_line(name, columns, &Line::default())));
        }
        lines
    }
}

/// Returns the largest width to which columns can be limited so that all fit.
fn column_limit(widths: &[usize], room: usize) -> usize {
    let mut sorted = widths.to_vec();
    sorted.sort_unstable();
    let (mut left, mut count) = (room, sorted.len());
    for width in sorted {
        let share = left.checked_div(count).unwrap_or(0);
        if width > share {
            return share;
        }
        left = left.saturating_sub(width);
        count = count.saturating_sub(1);
    }
    room
}

fn width(line: &Line<'static>) -> usize {
    line.spans.iter().map(|span| text_width(&span.content)).sum()
}

fn push_spaces(count: usize, spans: &mut Vec<Span<'static>>) {
    if count > 0 {
        spans.push(Span::raw(" ".repeat(count)));
    }
}

fn strong(mut line: Line<'static>, options: RenderOptions) -> Line<'static> {
    for span in &mut line.spans {
        span.style = span.style.patch(options.style(Role::Strong));
    }
    line
}
