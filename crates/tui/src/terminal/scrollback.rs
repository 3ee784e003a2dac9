//! The finished lines of a conversation that has the whole screen, and the part of them that is displayed.

use std::collections::VecDeque;

use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};
use windlass_screen::{cut, wrap_line};
use windlass_text::count_noun;

use crate::input::Scroll;
use crate::state::View;

/// Maximum number of stored lines. `/export` writes a longer conversation.
const MAX_LINES: usize = 10_000;
/// Rows of a step of the mouse wheel.
const WHEEL: usize = 3;

/// Row of a wrapped line.
#[derive(Clone, Debug)]
struct Row {
    /// The number of its line, counted from the first line of the conversation.
    line: usize,
    text: Line<'static>,
}

/// Finished lines with a position in them. Rows are counted from the first row since the newest change of the width.
#[derive(Debug)]
pub(super) struct Scrollback {
    lines: VecDeque<Line<'static>>,
    rows: VecDeque<Row>,
    columns: usize,
    height: usize,
    /// Number of the oldest stored line.
    first_line: usize,
    /// Number of the oldest stored row.
    first_row: usize,
    /// The uppermost row of the page while a person reads earlier rows; `None` at the end.
    top: Option<usize>,
    /// Number of finished rows that a page has room for.
    area: usize,
    /// The row at the top of the newest page. It is negative above the first row.
    painted_top: Option<isize>,
}

impl Scrollback {
    pub(super) fn new(columns: usize, height: usize) -> Self {
        Self {
            lines: VecDeque::new(),
            rows: VecDeque::new(),
            columns,
            height,
            first_line: 0,
            first_row: 0,
            top: None,
            area: height,
            painted_top: None,
        }
    }

    /// Appends finished lines. A person who reads earlier rows keeps reading them.
    pub(super) fn push(&mut self, lines: Vec<Line<'static>>) {
        for line in lines {
            let number = self.first_line.saturating_add(self.lines.len());
            self.wrap(number, &line);
            self.lines.push_back(line);
        }
        while self.lines.len() > MAX_LINES {
            self.lines.pop_front();
            self.first_line = self.first_line.saturating_add(1);
        }
        while self.rows.front().is_some_and(|row| row.line < self.first_line) {
            self.rows.pop_front();
            self.first_row = self.first_row.saturating_add(1);
        }
    }

    fn wrap(&mut self, number: usize, line: &Line<'static>) {
        // The last column stays empty.
        let columns = self.columns.saturating_sub(1).max(1);
        let rows = wrap_line(line, columns, &Line::default());
        self.rows.extend(rows.into_iter().map(|text| Row { line: number, text }));
    }

    /// Wraps all lines for another size. The uppermost line of the page stays the uppermost one.
    pub(super) fn resize(&mut self, columns: usize, height: usize) {
        self.height = height;
        self.painted_top = None;
        if columns == self.columns {
            return;
        }
        self.columns = columns;
        let top = self.top.and_then(|top| self.rows.get(top.saturating_sub(self.first_row)));
        let line = top.map(|row| row.line);
        self.rows.clear();
        self.first_row = 0;
        let lines = std::mem::take(&mut self.lines);
        for (at, line) in lines.iter().enumerate() {
            self.wrap(self.first_line.saturating_add(at), line);
        }
        self.lines = lines;
        self.top = line.and_then(|line| self.rows.iter().position(|row| row.line >= line));
    }

    /// Returns the number after the newest row.
    fn end(&self) -> usize {
        self.first_row.saturating_add(self.rows.len())
    }

    /// Moves to another part of the rows.
    pub(super) fn scroll(&mut self, scroll: Scroll) {
        let last = self.end().saturating_sub(self.area).max(self.first_row);
        let top = self.top.unwrap_or(last);
        // A page keeps two rows of the page before.
        let page = self.area.saturating_sub(3).max(1);
        let top = match scroll {
            Scroll::Up => top.saturating_sub(WHEEL),
            Scroll::Down => top.saturating_add(WHEEL),
            Scroll::PageUp => top.saturating_sub(page),
            Scroll::PageDown => top.saturating_add(page),
            Scroll::Start => self.first_row,
            Scroll::End => last,
        };
        self.top = (top < last).then_some(top.max(self.first_row));
    }

    /// Returns the page of the screen with the view at its bottom, and the number of rows by which the finished rows
    /// moved up since the page before.
    pub(super) fn page(&mut self, view: &View) -> (View, isize) {
        let hidden = view.lines.len().saturating_sub(self.height);
        let below = view.lines.get(hidden..).unwrap_or_default();
        self.area = self.height.saturating_sub(below.len());
        let last = self.end().saturating_sub(self.area).max(self.first_row);
        self.top = self.top.map(|top| top.max(self.first_row)).filter(|top| *top < last && self.area > 0);
        let (mut lines, top) = match self.top {
            Some(top) => (self.page_above(top), signed(top)),
            None => (self.page_at_end(last), signed(self.end()).saturating_sub(signed(self.area))),
        };
        let caret = (lines.len().saturating_add(view.caret.0.saturating_sub(hidden)), view.caret.1);
        lines.extend_from_slice(below);
        let shift = self.painted_top.map_or(0, |painted| top.saturating_sub(painted));
        self.painted_top = Some(top);
        (View { lines, caret }, shift)
    }

    /// Returns the newest rows, below empty ones if they do not fill their area.
    fn page_at_end(&self, first: usize) -> Vec<Line<'static>> {
        let rows = self.copy(first, self.area);
        let empty = self.area.saturating_sub(rows.len());
        let mut lines = vec![Line::default(); empty];
        lines.extend(rows);
        lines
    }

    /// Returns earlier rows, with a mark below them.
    fn page_above(&self, top: usize) -> Vec<Line<'static>> {
        let mut lines = self.copy(top, self.area.saturating_sub(1));
        let below = self.end().saturating_sub(top.saturating_add(lines.len()));
        let older =
            if top == self.first_row && self.first_line > 0 { " · older lines: /export" } else { "" };
        let words = format!(" {} below · PageDown · Ctrl-End: the newest{older}", count_noun(below, "row"));
        let words = cut(&words, self.columns.saturating_sub(1));
        lines.push(Line::from(Span::styled(words, Style::new().add_modifier(Modifier::REVERSED))));
        lines
    }

    fn copy(&self, first: usize, count: usize) -> Vec<Line<'static>> {
        let first = first.saturating_sub(self.first_row).min(self.rows.len());
        self.rows.range(first..).take(count).map(|row| row.text.clone()).collect()
    }

    /// Returns the newest rows, at most as many as fit on the screen with a line of the shell.
    pub(super) fn newest_rows(&self) -> Vec<Line<'static>> {
        let count = self.height.saturating_sub(3);
        self.copy(self.end().saturating_sub(count), count)
    }
}

fn signed(count: usize) -> isize {
    isize::try_from(count).unwrap_or(isize::MAX)
}

#[cfg(test)]
mod tests;
