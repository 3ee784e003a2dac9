//! Blocks of Markdown as lines.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use ratatui_core::text::{Line, Span};

use super::inline::Inline;
use super::table::Table;
use crate::code::{Language, highlight};
use crate::line::wrap_verbatim;
use crate::options::RenderOptions;
use crate::theme::Role;
use crate::width::{text_width, wrap_line};

/// Renders a block that is complete. `number` is the number of the item of an ordered list that the block begins with.
pub(super) fn render_block(text: &str, number: Option<u64>, options: RenderOptions) -> Vec<Line<'static>> {
    let features = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut renderer = Renderer {
        options,
        number,
        inline: Inline::new(Role::Words, options),
        containers: Vec::new(),
        table: None,
        code: None,
        lines: Vec::new(),
        needs_gap: false,
    };
    for event in Parser::new_ext(text, features) {
        renderer.push(event);
    }
    renderer.flush();
    if renderer.lines.is_empty() {
        // A definition of a link, which renders to nothing.
        return wrap_verbatim(text.trim(), Role::Faint, 0, options);
    }
    renderer.lines
}

/// A quote, a list or an item around the current text.
#[derive(Debug)]
enum Container {
    Quote,
    List(Option<u64>),
    /// An item, with the marker that its first line still needs, and its indent.
    Item {
        marker: Option<String>,
        indent: usize,
    },
}

/// The lines of a block so far.
#[derive(Debug)]
struct Renderer {
    options: RenderOptions,
    /// The number of the first item of the first list.
    number: Option<u64>,
    inline: Inline,
    containers: Vec<Container>,
    table: Option<Table>,
    code: Option<(Option<Language>, String)>,
    lines: Vec<Line<'static>>,
    /// True if the next paragraph is separated from the last block by an empty line.
    needs_gap: bool,
}

impl Renderer {
    fn push(&mut self, event: Event<'_>) {
        if let Some((_, code)) = &mut self.code
            && let Event::Text(text) = &event
        {
            code.push_str(text);
            return;
        }
        if self.inline.push(&event) {
            return;
        }
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Rule => {
                let columns = self.room().min(40);
                self.push_block(vec![Line::from(self.options.span(Role::Faint, "─".repeat(columns)))]);
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.flush();
                self.inline.set_base(Role::Heading);
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.push_gap();
                self.containers.push(Container::Quote);
                self.inline.set_base(Role::Quote);
            }
            Tag::List(start) => {
                self.flush();
                self.needs_gap = false;
                let start = start.map(|start| self.number.take().unwrap_or(start));
                self.containers.push(Container::List(start));
            }
            Tag::Item => self.start_item(),
            Tag::CodeBlock(kind) => {
                self.flush();
                let language = match &kind {
                    CodeBlockKind::Fenced(name) => {
                        Language::from_name(name.split([' ', ',']).next().unwrap_or_default())
                    }
                    CodeBlockKind::Indented => None,
                };
                self.code = Some((language, String::new()));
            }
            Tag::Table(alignments) => {
                self.flush();
                self.table = Some(Table::new(alignments));
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.start_row();
                }
            }
            Tag::HtmlBlock => {
                self.flush();
                self.inline.set_base(Role::Faint);
            }
            _ => {}
        }
    }

    fn start_item(&mut self) {
        self.flush();
        self.needs_gap = false;
        let marker = match self.containers.last_mut() {
            Some(Container::List(Some(number))) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => "• ".to_owned(),
        };
        let indent = text_width(&marker);
        self.containers.push(Container::Item { marker: Some(marker), indent });
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => {
                self.flush();
                self.inline.set_base(self.base());
                self.needs_gap = true;
            }
            TagEnd::Heading(_) => {
                let lines = self.inline.take();
                self.push_block(lines);
                self.inline.set_base(self.base());
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) => {
                self.flush();
                self.containers.pop();
                self.inline.set_base(self.base());
                self.needs_gap = true;
            }
            TagEnd::Item => {
                self.flush();
                // An item without text still has its marker.
                if let Some(Container::Item { marker: Some(_), .. }) = self.containers.last() {
                    self.push_lines(vec![Line::default()]);
                }
                self.containers.pop();
            }
            TagEnd::CodeBlock => {
                if let Some((language, code)) = self.code.take() {
                    let columns = self.room().saturating_sub(2).max(8);
                    let lines = highlight(&code, language, &RenderOptions { columns, ..self.options });
                    self.push_block(crate::line::add_prefix(&"  ".into(), lines));
                }
            }
            TagEnd::TableCell => {
                let cell = self.inline.take();
                if let Some(table) = &mut self.table {
                    table.push_cell(cell);
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    let lines = table.render(self.room(), self.options);
                    self.push_block(lines);
                }
            }
            _ => {}
        }
    }

    fn base(&self) -> Role {
        let is_quote = self.containers.iter().any(|container| matches!(container, Container::Quote));
        if is_quote { Role::Quote } else { Role::Words }
    }

    /// Returns the columns inside of the containers.
    fn room(&self) -> usize {
        self.options.columns.saturating_sub(self.indent().1)
    }

    /// Returns the number of containers that are displayed, and the width of their bars and markers: at most half of
    /// the columns.
    fn indent(&self) -> (usize, usize) {
        let (mut count, mut total) = (0_usize, 0_usize);
        for container in &self.containers {
            let width = match container {
                Container::Quote => 2,
                Container::Item { indent, .. } => *indent,
                Container::List(_) => 0,
            };
            if total.saturating_add(width) > self.options.columns / 2 {
                break;
            }
            (count, total) = (count.saturating_add(1), total.saturating_add(width));
        }
        (count, total)
    }

    /// Ends a paragraph.
    fn flush(&mut self) {
        if self.inline.is_empty() {
            return;
        }
        let lines = self.inline.take();
        self.push_block(lines);
    }

    /// Appends a block, separated from the block before it.
    fn push_block(&mut self, lines: Vec<Line<'static>>) {
        self.push_gap();
        self.push_lines(lines);
        self.needs_gap = true;
    }

    fn push_gap(&mut self) {
        if std::mem::take(&mut self.needs_gap) && !self.lines.is_empty() {
            self.push_lines(vec![Line::default()]);
        }
    }

    /// Wraps lines, and puts the bars and markers of the containers before them.
    fn push_lines(&mut self, lines: Vec<Line<'static>>) {
        let room = self.room();
        for line in lines {
            for row in wrap_line(&line, room, &Line::default()) {
                let mut spans = self.prefix();
                spans.extend(row.spans);
                self.lines.push(Line::from(spans));
            }
        }
    }

    fn prefix(&mut self) -> Vec<Span<'static>> {
        let options = self.options;
        let mut spans = Vec::new();
        let (count, _) = self.indent();
        for container in self.containers.iter_mut().take(count) {
            match container {
                Container::Quote => spans.push(options.span(Role::Faint, "│ ")),
                Container::Item { marker, indent } => {
                    let text = marker.take().unwrap_or_else(|| " ".repeat(*indent));
                    spans.push(options.span(Role::Words, text));
                }
                Container::List(_) => {}
            }
        }
        spans
    }
}
