//! The thoughts and the text of an answer, as they arrive.

use windlass_agent::Event;
use windlass_hitl::display_safe;
use windlass_screen::{MarkdownStream, Role};

use super::Show;
use super::flow::Flow;
use crate::paint::{Painted, Painter};

/// Part of an answer that is printed while it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Thoughts,
    Text,
}

/// The printed part of an answer that can grow.
#[derive(Debug, Default)]
pub(super) struct Speech {
    open: Option<Part>,
    /// The part that was printed last; `None` after another line.
    last: Option<Part>,
    /// True if the next piece has to begin a line.
    begins_line: bool,
    flow: Flow,
    /// The text of the answer, with styles.
    markdown: Option<MarkdownStream>,
    /// The text of the newest answer so far.
    said: String,
}

impl Speech {
    /// Forgets the text of the answer before.
    pub(super) fn begin_answer(&mut self) {
        self.said.clear();
    }

    /// Returns true if the newest answer was printed with this text.
    pub(super) fn has_said(&self, text: &str) -> bool {
        !text.trim().is_empty() && self.said.trim() == text.trim()
    }

    fn push(&mut self, part: Part, text: &str, painter: Painter) -> Painted {
        self.open = Some(part);
        match part {
            Part::Thoughts => self.flow(Role::Thought, text, painter),
            Part::Text => {
                self.said.push_str(text);
                match painter.options() {
                    Some(options) => {
                        let stream = self.markdown.get_or_insert_with(|| MarkdownStream::new(&options));
                        stream.set_columns(options.columns);
                        Painted::from_lines(&stream.push(text))
                    }
                    None => self.flow(Role::Words, text, painter),
                }
            }
        }
    }

    fn flow(&mut self, role: Role, text: &str, painter: Painter) -> Painted {
        let text = display_safe(text);
        match painter.columns() {
            Some(columns) => painter.paint(role, &self.flow.push(&text, columns)),
            None => painter.paint(role, &text),
        }
    }

    /// Returns the rest of the part that is open, and closes it.
    fn end(&mut self, painter: Painter) -> Painted {
        let Some(part) = self.open.take() else { return Painted::default() };
        let markdown = self.markdown.take().filter(|_| part == Part::Text);
        if let Some(mut markdown) = markdown {
            return Painted::from_lines(&markdown.finish());
        }
        let role = if part == Part::Thoughts { Role::Thought } else { Role::Words };
        painter
            .columns()
            .map_or_else(Painted::default, |columns| painter.paint(role, &self.flow.finish(columns)))
    }
}

impl Show {
    /// Renders a piece of the thoughts or of the text. The two are separated by a line break.
    pub(super) fn speak(&mut self, event: &Event) -> Painted {
        let (part, text) = match event {
            Event::Reasoning { text } => (Part::Thoughts, text),
            Event::Text { text } => (Part::Text, text),
            _ => return Painted::default(),
        };
        let mut painted = Painted::default();
        if self.speech.last != Some(part) {
            painted = self.end_speech();
            self.speech.last = Some(part);
            self.speech.begins_line = true;
        }
        let piece = self.speech.push(part, text, self.painter);
        self.append_speech(&mut painted, &piece);
        painted
    }

    /// Renders the rest of the thoughts or of the text.
    pub(super) fn end_speech(&mut self) -> Painted {
        let rest = self.speech.end(self.painter);
        let mut painted = Painted::default();
        self.append_speech(&mut painted, &rest);
        painted
    }

    /// Renders the rest of the thoughts or of the text before the lines of another event.
    pub(super) fn end_speech_before(&mut self, lines: &Painted) -> Painted {
        let mut painted = self.end_speech();
        self.speech.last = None;
        // The lines begin with a line break if the cursor stands in a line already.
        if self.at_line_start && !painted.is_empty() && !painted.ends_line() {
            painted.push_line_break();
        }
        painted.append(lines);
        painted
    }

    fn append_speech(&mut self, painted: &mut Painted, piece: &Painted) {
        if piece.is_empty() {
            return;
        }
        let is_at_start = if painted.is_empty() { self.at_line_start } else { painted.ends_line() };
        if std::mem::take(&mut self.speech.begins_line) && !is_at_start {
            painted.push_line_break();
        }
        painted.append(piece);
    }
}
