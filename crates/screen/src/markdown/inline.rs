//! Inline Markdown: styles, links and line breaks.

use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use crate::options::RenderOptions;
use crate::safe::{escape_line, escape_text};
use crate::theme::Role;

/// The inline text of a block so far.
#[derive(Debug)]
pub(super) struct Inline {
    options: RenderOptions,
    base: Role,
    roles: Vec<Role>,
    /// Address of each open link or picture, with the length of the text before it.
    links: Vec<(String, usize)>,
    text_length: usize,
    text: String,
    lines: Vec<Line<'static>>,
    spans: Vec<Span<'static>>,
}

impl Inline {
    pub(super) fn new(base: Role, options: RenderOptions) -> Self {
        Self {
            options,
            base,
            roles: Vec::new(),
            links: Vec::new(),
            text_length: 0,
            text: String::new(),
            lines: Vec::new(),
            spans: Vec::new(),
        }
    }

    /// Reads an event. Returns false if the event is not inline.
    pub(super) fn push(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Text(text) | Event::InlineHtml(text) | Event::Html(text) => self.push_text(text),
            Event::Code(code) => self.push_span(Role::Code, &escape_line(code)),
            Event::SoftBreak => self.push_span(self.base, " "),
            Event::HardBreak => self.break_line(),
            Event::TaskListMarker(is_done) => {
                self.push_span(Role::Faint, if *is_done { "[x] " } else { "[ ] " });
            }
            Event::Start(Tag::Emphasis) => self.roles.push(Role::Emphasis),
            Event::Start(Tag::Strong) => self.roles.push(Role::Strong),
            Event::Start(Tag::Strikethrough) => self.roles.push(Role::Struck),
            Event::Start(Tag::Link { dest_url, link_type, .. }) => self.open_link(dest_url, *link_type),
            Event::Start(Tag::Image { dest_url, link_type, .. }) => {
                self.push_span(Role::Faint, "picture: ");
                self.open_link(dest_url, *link_type);
            }
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) => {
                self.roles.pop();
            }
            Event::End(TagEnd::Link | TagEnd::Image) => self.close_link(),
            _ => return false,
        }
        true
    }

    fn push_text(&mut self, text: &str) {
        for (number, row) in escape_text(text).split('\n').enumerate() {
            if number > 0 {
                self.break_line();
            }
            self.push_span(self.base, row);
        }
    }

    fn push_span(&mut self, role: Role, text: &str) {
        if text.is_empty() {
            return;
        }
        self.text_length = self.text_length.saturating_add(text.len());
        if !self.links.is_empty() {
            self.text.push_str(text);
        }
        let style = self.style(role);
        match self.spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push_str(text),
            _ => self.spans.push(Span::styled(text.to_owned(), style)),
        }
    }

    /// Returns the style of a role inside of the open emphases.
    fn style(&self, role: Role) -> Style {
        let base = self.options.style(self.base);
        let outer = self.roles.iter().fold(base, |style, role| style.patch(self.options.style(*role)));
        outer.patch(self.options.style(role))
    }

    fn open_link(&mut self, address: &CowStr<'_>, kind: LinkType) {
        let address = if kind == LinkType::Email { format!("mailto:{address}") } else { address.to_string() };
        if self.links.is_empty() {
            self.text.clear();
        }
        self.links.push((address, self.text.len()));
        self.roles.push(Role::Link);
    }

    /// Appends the address of a link whose text differs from it: a text can pretend to be another address.
    fn close_link(&mut self) {
        self.roles.pop();
        let Some((address, from)) = self.links.pop() else { return };
        let text = self.text.get(from..).unwrap_or_default();
        let address = escape_line(&address);
        if !address.is_empty() && text != address && format!("mailto:{text}") != address {
            self.push_span(Role::Faint, &format!(" ({address})"));
        }
    }

    fn break_line(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        self.lines.push(Line::from(spans));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.spans.is_empty()
    }

    /// Returns the lines, which are not wrapped yet.
    pub(super) fn take(&mut self) -> Vec<Line<'static>> {
        if !self.spans.is_empty() {
            self.break_line();
        }
        self.roles.clear();
        self.links.clear();
        std::mem::take(&mut self.lines)
    }

    /// Changes the role of the text outside of emphases.
    pub(super) fn set_base(&mut self, base: Role) {
        self.base = base;
    }
}
