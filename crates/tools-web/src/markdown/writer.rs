//! `Writer`: writes words as lines of Markdown with the prefixes of quotes and lists.

use crate::markdown::marks::{Kind, Marks};
use crate::{Style, WebUrl};

/// Maximum number of nested quotes and lists; deeper ones are written at this depth.
const MAX_INDENTS: usize = 8;
/// Maximum number of links in a page; further links are written as plain text.
const MAX_LINKS: usize = 50_000;

/// Text before the first words of a block.
#[derive(Debug)]
struct Marker {
    sign: String,
    place: Place,
}

/// Position of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// After all prefixes of the line.
    Behind,
    /// In place of the innermost prefix.
    Instead,
}

#[derive(Debug)]
pub(crate) struct Writer {
    base: WebUrl,
    style: Style,
    limit: usize,
    text: String,
    /// Number of line breaks before the next word.
    gap: usize,
    has_space: bool,
    /// True if the current line has its prefix.
    is_in_line: bool,
    indents: Vec<&'static str>,
    marker: Option<Marker>,
    marks: Marks,
    is_in_cell: bool,
    links: usize,
}

impl Writer {
    pub(crate) fn new(base: &WebUrl, style: Style, limit: usize) -> Self {
        Self {
            base: base.clone(),
            style,
            limit,
            text: String::new(),
            gap: 0,
            has_space: false,
            is_in_line: false,
            indents: Vec::new(),
            marker: None,
            marks: Marks::default(),
            is_in_cell: false,
            links: 0,
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.text.len() >= self.limit
    }

    pub(crate) fn style(&self) -> Style {
        self.style
    }

    pub(crate) fn set_base(&mut self, href: &str) {
        if let Ok(base) = self.base.join(href) {
            self.base = base;
        }
    }

    /// Returns the position of the next word, or of the line breaks before it.
    pub(crate) fn position(&self) -> usize {
        self.text.len()
    }

    /// Requests at least this many line breaks before the next word; in a cell, which is a single line, a
    /// space.
    pub(crate) fn gap(&mut self, breaks: usize) {
        if self.is_in_cell {
            self.has_space = true;
        } else {
            self.gap = self.gap.max(breaks);
        }
    }

    pub(crate) fn space(&mut self) {
        self.has_space = true;
    }

    pub(crate) fn enter_cell(&mut self) {
        self.is_in_cell = true;
    }

    pub(crate) fn leave_cell(&mut self) {
        self.is_in_cell = false;
    }

    pub(crate) fn is_in_cell(&self) -> bool {
        self.is_in_cell
    }

    /// Adds a prefix to each line. Returns false if the maximum depth is reached.
    pub(crate) fn indent(&mut self, prefix: &'static str) -> bool {
        let has_room = self.indents.len() < MAX_INDENTS;
        if has_room {
            self.indents.push(prefix);
        }
        has_room
    }

    pub(crate) fn outdent(&mut self) {
        self.indents.pop();
    }

    /// Sets a marker before the next words of this block.
    pub(crate) fn mark_block(&mut self, sign: String, place: Place) {
        self.marker = Some(Marker { sign, place });
    }

    pub(crate) fn unmark_block(&mut self) {
        self.marker = None;
    }

    /// Writes words with collapsed white space.
    pub(crate) fn words(&mut self, text: &str) {
        self.has_space |= text.starts_with(char::is_whitespace);
        for (position, word) in text.split_whitespace().enumerate() {
            self.has_space |= position > 0;
            if self.is_full() {
                return;
            }
            self.begin();
            self.marks.write(&mut self.text);
            if self.is_in_cell && word.contains('|') {
                self.text.push_str(&word.replace('|', "\\|"));
            } else {
                self.text.push_str(word);
            }
        }
        self.has_space |= text.ends_with(char::is_whitespace);
    }

    /// Writes Markdown syntax.
    pub(crate) fn sign(&mut self, sign: &str) {
        self.begin();
        self.text.push_str(sign);
    }

    /// Writes Markdown syntax directly after the last word.
    pub(crate) fn join(&mut self, sign: &str) {
        self.text.push_str(sign);
        self.has_space = false;
    }

    /// Writes lines unchanged.
    pub(crate) fn lines(&mut self, lines: &str) {
        for line in lines.split('\n') {
            if self.is_full() {
                return;
            }
            self.begin();
            self.text.push_str(line);
            self.gap(1);
        }
    }

    pub(crate) fn open(&mut self, kind: Kind) {
        self.marks.open(if self.style == Style::Text { Kind::Nothing } else { kind });
    }

    pub(crate) fn close(&mut self) {
        self.marks.close(&mut self.text);
    }

    pub(crate) fn is_in_link(&self) -> bool {
        self.marks.has_link()
    }

    /// Resolves a URL of the page. Returns `None` if it cannot be fetched, and if links are not written.
    pub(crate) fn resolve(&mut self, href: &str) -> Option<String> {
        let href = href.trim();
        // A fragment refers to the page itself.
        if href.is_empty() || href.starts_with('#') || self.links >= MAX_LINKS || self.style == Style::Text {
            return None;
        }
        self.links = self.links.saturating_add(1);
        let url = self.base.join(href).ok()?;
        let url = url.as_str();
        // A parenthesis would end the Markdown link early.
        Some(if url.contains(['(', ')']) { format!("<{url}>") } else { url.to_owned() })
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }

    /// Starts a new line with its prefix, or writes a pending space.
    fn begin(&mut self) {
        if self.gap > 0 {
            self.break_line();
        }
        if self.is_in_line {
            if self.has_space || self.marker.is_some() {
                self.text.push(' ');
            }
            if let Some(marker) = self.marker.take() {
                self.text.push_str(&marker.sign);
            }
        } else {
            self.write_prefix();
            self.is_in_line = true;
        }
        self.has_space = false;
    }

    fn write_prefix(&mut self) {
        let marker = self.marker.take();
        let replaced = marker.as_ref().is_some_and(|marker| marker.place == Place::Instead);
        let outer = self.indents.len().saturating_sub(usize::from(replaced));
        for prefix in self.indents.iter().take(outer) {
            self.text.push_str(prefix);
        }
        if let Some(marker) = marker {
            self.text.push_str(&marker.sign);
        }
    }

    fn break_line(&mut self) {
        let breaks = std::mem::take(&mut self.gap);
        self.has_space = false;
        if self.text.is_empty() || breaks == 0 {
            return;
        }
        self.marks.end_line(&mut self.text);
        for _ in 0..breaks {
            if self.text.ends_with('\n') {
                self.write_empty_line_prefix();
            }
            self.text.push('\n');
        }
        self.is_in_line = false;
    }

    /// Writes the quote prefixes of an empty line, so that the quote continues.
    fn write_empty_line_prefix(&mut self) {
        let quotes: usize = self.indents.iter().take_while(|prefix| **prefix == "> ").count();
        for _ in 0..quotes {
            self.text.push('>');
        }
    }
}
