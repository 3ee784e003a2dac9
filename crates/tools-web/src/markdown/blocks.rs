//! `Blocks`: the effect of each element on the output.

use crate::markdown::RenderedText;
use crate::markdown::attributes::Attributes;
use crate::markdown::code::Code;
use crate::markdown::list::List;
use crate::markdown::marks::Kind;
use crate::markdown::table::Table;
use crate::markdown::tag::Tag;
use crate::markdown::writer::{Place, Writer};
use crate::{Style, WebUrl};

/// Maximum size of a title, in bytes.
const MAX_TITLE: usize = 300;

/// Output with its open lists, table and code block.
pub(crate) struct Blocks {
    writer: Writer,
    limit: usize,
    lists: Vec<List>,
    table: Table,
    code: Option<Code>,
    title: Option<String>,
    is_in_title: bool,
    /// Start and end of the main part in the output.
    main: Option<(usize, Option<usize>)>,
}

/// Action at the end of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Undo {
    Nothing,
    Title,
    Gap(usize),
    Mark,
    Marker(usize),
    Quote { is_indented: bool },
    List,
    Item { is_indented: bool },
    Code,
    Main,
    Table,
    Row,
    Cell,
}

impl Blocks {
    pub(crate) fn new(base: &WebUrl, style: Style, limit: usize) -> Self {
        Self {
            writer: Writer::new(base, style, limit),
            limit,
            lists: Vec::new(),
            table: Table::default(),
            code: None,
            title: None,
            is_in_title: false,
            main: None,
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.writer.is_full() || self.code.as_ref().is_some_and(|code| code.text.len() >= self.limit)
    }

    /// Separates the text around skipped content.
    pub(crate) fn gap(&mut self) {
        self.writer.gap(1);
    }

    pub(crate) fn text(&mut self, text: &str) {
        if self.is_in_title {
            let title = self.title.get_or_insert_default();
            let room = MAX_TITLE.saturating_sub(title.len());
            title.push_str(text.get(..text.floor_char_boundary(room)).unwrap_or_default());
        } else if let Some(code) = &mut self.code {
            code.text.push_str(text);
        } else {
            self.writer.words(text);
        }
    }

    /// Enters an element and returns the action for its end.
    pub(crate) fn enter(&mut self, tag: Tag, mut attributes: Attributes) -> Undo {
        if attributes.is_main() || tag == Tag::Main {
            return self.enter_main();
        }
        if let Some(code) = &mut self.code {
            code.language = code.language.take().or_else(|| attributes.language().map(str::to_owned));
            return Undo::Nothing;
        }
        match tag {
            Tag::Anchor => {
                let url = attributes.take_href().and_then(|href| self.writer.resolve(&href));
                self.mark(url.map_or(Kind::Nothing, Kind::Link))
            }
            Tag::Strong => self.mark(Kind::Strong),
            Tag::Emphasis => self.mark(Kind::Emphasis),
            Tag::Deleted => self.mark(Kind::Deleted),
            Tag::Superscript => self.mark(Kind::Superscript),
            Tag::Code => self.mark(Kind::Code),
            Tag::Title => {
                self.is_in_title = self.title.is_none();
                Undo::Title
            }
            Tag::Block | Tag::Boilerplate | Tag::Term => self.block(1),
            Tag::Paragraph => self.block(2),
            Tag::Description => {
                self.writer.gap(1);
                self.writer.mark_block(": ".to_owned(), Place::Behind);
                Undo::Marker(1)
            }
            Tag::Quote => {
                self.writer.gap(2);
                Undo::Quote { is_indented: self.writer.indent("> ") }
            }
            Tag::Preformatted => {
                self.writer.gap(2);
                self.code =
                    Some(Code { text: String::new(), language: attributes.language().map(str::to_owned) });
                Undo::Code
            }
            Tag::List => self.list(None),
            Tag::NumberedList => self.list(Some(attributes.first_number())),
            Tag::Item => self.item(),
            Tag::Table => self.table.enter(&mut self.writer),
            Tag::Row => self.table.enter_row(&mut self.writer),
            Tag::Cell => self.table.enter_cell(&mut self.writer),
            heading => match heading.heading() {
                Some(level) => self.heading(level),
                None => Undo::Nothing,
            },
        }
    }

    /// Leaves an element.
    pub(crate) fn leave(&mut self, undo: Undo) {
        match undo {
            Undo::Nothing => {}
            Undo::Title => self.is_in_title = false,
            Undo::Gap(gap) => self.writer.gap(gap),
            Undo::Mark => self.writer.close(),
            Undo::Marker(gap) => {
                self.writer.unmark_block();
                self.writer.gap(gap);
            }
            Undo::Quote { is_indented } => {
                self.writer.gap(2);
                self.outdent(is_indented);
            }
            Undo::List => {
                self.lists.pop();
                self.writer.gap(if self.lists.is_empty() { 2 } else { 1 });
            }
            Undo::Item { is_indented } => {
                self.writer.unmark_block();
                self.writer.gap(1);
                self.outdent(is_indented);
            }
            Undo::Code => self.leave_code(),
            Undo::Main => self.leave_main(),
            Undo::Table => self.table.leave(&mut self.writer),
            Undo::Row => self.table.leave_row(&mut self.writer),
            Undo::Cell => {
                self.writer.leave_cell();
                self.writer.space();
            }
        }
    }

    /// Handles an element without content.
    pub(crate) fn void(&mut self, tag: Tag, attributes: &Attributes) {
        match (tag, &mut self.code) {
            (Tag::Break, Some(code)) => code.text.push('\n'),
            (Tag::Break, None) => self.writer.gap(1),
            (Tag::Base, _) => {
                if let Some(href) = attributes.href() {
                    self.writer.set_base(href);
                }
            }
            (Tag::Rule, None) => {
                self.writer.gap(2);
                self.writer.sign("---");
                self.writer.gap(2);
            }
            (Tag::Image, None) => self.image(attributes),
            _ => {}
        }
    }

    /// Returns the page, or its main part if that has at least `meant` bytes.
    pub(crate) fn finish(self, meant: usize, is_cut: bool) -> RenderedText {
        let text = self.writer.finish();
        let main = self.main.and_then(|(start, end)| text.get(start..end.unwrap_or(text.len())));
        let text = main.map(str::trim).filter(|main| main.len() >= meant).unwrap_or(&text).trim_matches('\n');
        let text = if text.trim().is_empty() { String::new() } else { format!("{}\n", text.trim_end()) };
        let title = self.title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
        RenderedText { title: title.filter(|title| !title.is_empty()), text, is_cut }
    }

    fn image(&mut self, attributes: &Attributes) {
        let words = attributes.alternative();
        if words.trim().is_empty() {
            return;
        }
        let link = if self.writer.is_in_link() { None } else { attributes.source() };
        match link.and_then(|source| self.writer.resolve(source)) {
            Some(url) => {
                self.writer.sign("![");
                self.writer.words(words);
                self.writer.join(&format!("]({url})"));
            }
            None => self.writer.words(words),
        }
    }

    fn mark(&mut self, kind: Kind) -> Undo {
        self.writer.open(kind);
        Undo::Mark
    }

    fn block(&mut self, gap: usize) -> Undo {
        self.writer.gap(gap);
        Undo::Gap(gap)
    }

    fn heading(&mut self, level: usize) -> Undo {
        self.writer.gap(2);
        if self.writer.style() == Style::Markdown && !self.writer.is_in_cell() {
            self.writer.mark_block(format!("{} ", "#".repeat(level)), Place::Behind);
        }
        Undo::Marker(2)
    }

    fn list(&mut self, number: Option<u32>) -> Undo {
        self.writer.gap(if self.lists.is_empty() { 2 } else { 1 });
        self.lists.push(List { number });
        Undo::List
    }

    fn item(&mut self) -> Undo {
        self.writer.gap(1);
        let (marker, width) = self.lists.last_mut().map_or_else(|| ("- ".to_owned(), "  "), List::next);
        let is_indented = self.writer.indent(width);
        let place = if is_indented { Place::Instead } else { Place::Behind };
        self.writer.mark_block(marker, place);
        Undo::Item { is_indented }
    }

    fn enter_main(&mut self) -> Undo {
        self.writer.gap(2);
        if self.main.is_some() {
            return Undo::Gap(2);
        }
        self.main = Some((self.writer.position(), None));
        Undo::Main
    }

    fn outdent(&mut self, is_indented: bool) {
        if is_indented {
            self.writer.outdent();
        }
    }

    fn leave_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        if code.text.trim().is_empty() {
            return;
        }
        if self.writer.is_in_cell() {
            self.writer.words(&code.text);
        } else if self.writer.style() == Style::Text {
            self.writer.lines(code.text.trim_matches('\n'));
        } else {
            self.writer.lines(&code.to_fenced());
        }
        self.writer.gap(2);
    }

    fn leave_main(&mut self) {
        if let Some((_, end)) = &mut self.main {
            *end = Some(self.writer.position());
        }
        self.writer.gap(2);
    }
}
