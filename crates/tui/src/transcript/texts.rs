//! Texts and reasoning of the present turn, as they arrive.

use ratatui_core::text::Line;
use windlass_app::feed::FeedKind;
use windlass_screen::{MarkdownStream, RenderOptions, render_markdown, render_thoughts};

/// Texts of the present turn.
#[derive(Debug)]
pub(super) struct LiveTexts {
    options: RenderOptions,
    stream: MarkdownStream,
    /// The texts of the turn that arrived as deltas; the last one may be growing.
    streamed: Vec<String>,
    is_open: bool,
    /// Number of whole texts of the turn so far.
    whole: usize,
    thoughts: String,
    /// Number of thoughts of the turn that are printed, and of whole ones.
    thought_counts: (usize, usize),
}

impl LiveTexts {
    pub(super) fn new(options: RenderOptions) -> Self {
        Self {
            options,
            stream: MarkdownStream::new(&options),
            streamed: Vec::new(),
            is_open: false,
            whole: 0,
            thoughts: String::new(),
            thought_counts: (0, 0),
        }
    }

    pub(super) fn set_options(&mut self, options: RenderOptions) {
        self.options = options;
        self.stream.set_columns(options.columns);
    }

    /// Returns the lines that are not final.
    pub(super) fn live(&self, rows: usize) -> Vec<Line<'static>> {
        let mut lines = if self.is_open { self.stream.tail() } else { Vec::new() };
        if !self.thoughts.is_empty() {
            lines.extend(render_thoughts(&self.thoughts, rows.min(3), &self.options));
        }
        let hidden = lines.len().saturating_sub(rows);
        lines.drain(..hidden);
        lines
    }

    /// Applies an event. Returns the lines that are final now.
    pub(super) fn apply(&mut self, kind: &FeedKind) -> Option<Vec<Line<'static>>> {
        match kind {
            FeedKind::ReasoningDelta { offset, text, .. } => {
                if *offset == 0 {
                    self.thoughts.clear();
                }
                self.thoughts.push_str(text);
                None
            }
            FeedKind::ReasoningEnded { .. } => {
                self.thought_counts.0 = self.thought_counts.0.saturating_add(1);
                let thoughts = std::mem::take(&mut self.thoughts);
                Some(self.fold(&thoughts))
            }
            FeedKind::Reasoning { text, .. } => {
                self.thoughts.clear();
                self.thought_counts.1 = self.thought_counts.1.saturating_add(1);
                if self.thought_counts.1 <= self.thought_counts.0 {
                    return None;
                }
                self.thought_counts.0 = self.thought_counts.1;
                Some(self.fold(text))
            }
            FeedKind::TextDelta { offset, text, .. } => Some(self.push(*offset, text)),
            FeedKind::TextEnded { .. } => Some(self.close()),
            FeedKind::Text { text, .. } => Some(self.complete(text)),
            FeedKind::Retry { .. }
            | FeedKind::RunEnded { .. }
            | FeedKind::Error { .. }
            | FeedKind::TurnEnded { .. }
            | FeedKind::TurnStarted { .. }
            | FeedKind::RunStarted { .. } => {
                let lines = self.close();
                *self = Self::new(self.options);
                Some(lines)
            }
            _ => None,
        }
    }

    fn fold(&self, thoughts: &str) -> Vec<Line<'static>> {
        if thoughts.trim().is_empty() { Vec::new() } else { render_thoughts(thoughts, 0, &self.options) }
    }

    fn push(&mut self, offset: u64, text: &str) -> Vec<Line<'static>> {
        if !self.is_open {
            self.is_open = true;
            self.streamed.push(String::new());
        }
        let Some(streamed) = self.streamed.last_mut() else { return Vec::new() };
        // A reader that fell behind gets the text again from its beginning.
        let known = u64::try_from(streamed.len()).unwrap_or(u64::MAX).saturating_sub(offset);
        let known = usize::try_from(known).unwrap_or(usize::MAX).min(text.len());
        let new = text.get(text.ceil_char_boundary(known)..).unwrap_or_default();
        streamed.push_str(new);
        self.stream.push(new)
    }

    /// Ends the text that grows.
    fn close(&mut self) -> Vec<Line<'static>> {
        if !std::mem::take(&mut self.is_open) {
            return Vec::new();
        }
        self.stream.finish()
    }

    /// Returns the lines of a whole text that the deltas did not contain.
    fn complete(&mut self, text: &str) -> Vec<Line<'static>> {
        let streamed = self.streamed.get(self.whole).map(String::as_str);
        let is_last = self.whole.saturating_add(1) == self.streamed.len();
        self.whole = self.whole.saturating_add(1);
        match streamed.and_then(|streamed| text.strip_prefix(streamed)) {
            Some(rest) if is_last && self.is_open => {
                let mut lines = self.stream.push(rest);
                lines.extend(self.close());
                lines
            }
            Some("") => Vec::new(),
            Some(rest) => render_markdown(rest, &self.options),
            None => {
                let mut lines = self.close();
                lines.extend(render_markdown(text, &self.options));
                lines
            }
        }
    }
}
