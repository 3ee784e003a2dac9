//! Highlighting of code that arrives line by line.

use ratatui_core::text::Line;

use super::{Language, highlight_from};
use crate::options::RenderOptions;
use crate::safe::escape_text;

/// Lines and bytes after which code is rendered.
const CHUNK: (usize, usize) = (32, 8 * 1024);

/// Renderer of code that arrives line by line. Code without a grammar is rendered at once. Other code is rendered in
/// chunks, each with the chunk before it as context, so its work is proportional to the code.
#[derive(Clone, Debug)]
pub(crate) struct CodeStream {
    language: Option<Language>,
    /// The last rendered chunk, then the lines that are not rendered yet.
    code: String,
    /// Beginning of the lines that are not rendered yet.
    from: usize,
    lines: usize,
}

impl CodeStream {
    pub(crate) fn new(language: Option<Language>) -> Self {
        let language = language.filter(|_| cfg!(feature = "highlight"));
        Self { language, code: String::new(), from: 0, lines: 0 }
    }

    /// Appends a line, and returns the lines that are final.
    pub(crate) fn push_line(&mut self, line: &str, options: &RenderOptions) -> Vec<Line<'static>> {
        self.code.push_str(&escape_text(line));
        self.code.push('\n');
        self.lines = self.lines.saturating_add(1);
        let (lines, bytes) = CHUNK;
        let is_full = self.lines >= lines || self.code.len().saturating_sub(self.from) >= bytes;
        if is_full || self.language.is_none() { self.finish(options) } else { Vec::new() }
    }

    /// Returns the rest of the lines.
    pub(crate) fn finish(&mut self, options: &RenderOptions) -> Vec<Line<'static>> {
        let lines = highlight_from(&self.code, self.from, self.language, *options);
        self.code.drain(..self.from);
        if self.language.is_none() {
            self.code.clear();
        }
        self.from = self.code.len();
        self.lines = 0;
        lines
    }
}
