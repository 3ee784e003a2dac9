//! The parts of a card: labels with values.

use ratatui_core::text::{Line, Span};

use crate::fold::more_lines;
use crate::options::RenderOptions;
use crate::theme::Role;
use crate::width::{text_width, wrap_hard, wrap_line};

/// Columns of the labels in the wide form.
const LABELS: usize = 9;
/// Terminals with fewer columns get the narrow form.
const WIDE: usize = 60;

/// The lines of a card so far.
#[derive(Debug)]
pub(super) struct Sections {
    pub(super) lines: Vec<Line<'static>>,
    /// True until something was left out.
    pub(super) shows_all: bool,
    /// True if texts were left out whose effect the diff displays.
    pub(super) has_more: bool,
    options: RenderOptions,
}

impl Sections {
    pub(super) fn new(options: RenderOptions) -> Self {
        Self { lines: Vec::new(), shows_all: true, has_more: false, options }
    }

    fn is_wide(&self) -> bool {
        self.options.columns >= WIDE
    }

    /// Returns the options for the values of labels.
    pub(super) fn inner(&self) -> RenderOptions {
        self.options.indent(if self.is_wide() { LABELS.saturating_add(2) } else { 4 })
    }

    /// Appends a line at the margin, wrapped between words.
    pub(super) fn push_line(&mut self, line: &Line<'static>) {
        let columns = self.options.columns;
        self.lines.extend(wrap_line(line, columns, &Line::from("  ")));
    }

    /// Appends a label with the lines of its values.
    pub(super) fn push(&mut self, label: &str, values: Vec<Line<'static>>) {
        if values.is_empty() {
            return;
        }
        let is_wide = self.is_wide();
        if !is_wide {
            self.lines.push(Line::from(self.options.span(Role::Faint, format!("  {label}"))));
        }
        for (number, mut line) in values.into_iter().enumerate() {
            let margin = match (is_wide, number) {
                (true, 0) => self.options.span(Role::Faint, format!("  {label:LABELS$}")),
                (true, _) => Span::raw(" ".repeat(LABELS.saturating_add(2))),
                (false, _) => Span::raw("    "),
            };
            line.spans.insert(0, margin);
            self.lines.push(line);
        }
    }

    /// Wraps a value inside of words, and folds it.
    pub(super) fn value(&mut self, line: &Line<'static>, rows: usize) -> Vec<Line<'static>> {
        let mut lines = wrap_hard(line, self.inner().columns, &Line::from("  "));
        self.fold(&mut lines, rows);
        lines
    }

    /// Removes the lines after the first `rows`, and counts them.
    pub(super) fn fold(&mut self, lines: &mut Vec<Line<'static>>, rows: usize) {
        let hidden = lines.len().saturating_sub(rows);
        if hidden > 1 {
            lines.truncate(rows);
            lines.push(more_lines(hidden, 0, self.options));
            self.shows_all = false;
        }
    }

    /// Returns the first `limit` items and, if some are left, a line that counts them.
    pub(super) fn count<T>(&mut self, items: &[T], limit: usize) -> (usize, Option<Line<'static>>) {
        let hidden = items.len().saturating_sub(limit);
        if hidden == 0 {
            return (items.len(), None);
        }
        self.shows_all = false;
        (limit, Some(Line::from(self.options.span(Role::Warning, format!("… {hidden} more")))))
    }

    /// Appends items beside each other, and breaks lines between them.
    pub(super) fn push_flow(&mut self, items: Vec<Vec<Span<'static>>>) {
        let mut spans = vec![Span::raw("  ")];
        let mut used = 2_usize;
        for item in items {
            let width: usize = item.iter().map(|span| text_width(&span.content)).sum();
            let is_full = used.saturating_add(width).saturating_add(3) > self.options.columns;
            if used > 2 && is_full {
                let row = Line::from(std::mem::replace(&mut spans, vec![Span::raw("  ")]));
                self.push_line(&row);
                used = 2;
            }
            if used > 2 {
                spans.push(Span::raw("   "));
                used = used.saturating_add(3);
            }
            spans.extend(item);
            used = used.saturating_add(width);
        }
        self.push_line(&Line::from(spans));
    }
}
