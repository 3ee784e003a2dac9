//! Markdown as lines, while it arrives.

use ratatui_core::text::Line;

use crate::line::prefixed;
use crate::options::RenderOptions;
use crate::theme::Role;

/// Renderer of Markdown that arrives in pieces.
///
/// [`push`](Self::push) returns lines that are final: later text never changes them. [`tail`](Self::tail) renders the
/// rest, which later text can change.
#[derive(Clone, Debug)]
pub struct MarkdownStream {
    options: RenderOptions,
    text: String,
}

impl MarkdownStream {
    /// Creates a renderer.
    pub fn new(options: &RenderOptions) -> Self {
        Self { options: *options, text: String::new() }
    }

    /// Changes the width of lines that are not final yet.
    pub fn set_columns(&mut self, columns: usize) {
        self.options = RenderOptions::new(columns, self.options.theme);
    }

    /// Appends text, and returns the lines that are final now.
    pub fn push(&mut self, text: &str) -> Vec<Line<'static>> {
        self.text.push_str(text);
        let end = self.text.rfind('\n').map_or(0, |at| at.saturating_add(1));
        let rest = self.text.split_off(end);
        let ready = std::mem::replace(&mut self.text, rest);
        if ready.is_empty() { Vec::new() } else { self.render(&ready) }
    }

    /// Returns the lines that are not final.
    pub fn tail(&self) -> Vec<Line<'static>> {
        if self.text.is_empty() { Vec::new() } else { self.render(&self.text) }
    }

    /// Returns the lines of the rest. The renderer can be used for the next text.
    pub fn finish(&mut self) -> Vec<Line<'static>> {
        let lines = self.tail();
        self.text.clear();
        lines
    }

    fn render(&self, text: &str) -> Vec<Line<'static>> {
        prefixed(self.options.span(Role::Words, ""), text, Role::Words, self.options)
    }
}

/// Renders a whole Markdown text.
pub fn render_markdown(text: &str, options: &RenderOptions) -> Vec<Line<'static>> {
    let mut stream = MarkdownStream::new(options);
    let mut lines = stream.push(text);
    lines.extend(stream.finish());
    lines
}
