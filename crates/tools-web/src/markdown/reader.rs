//! `Reader`: tracks open elements and passes tags and text to [`Blocks`].

use crate::markdown::attributes::Attributes;
use crate::markdown::blocks::{Blocks, Undo};
use crate::markdown::tag::{TAGS, Tag};
use crate::markdown::{Part, RenderedText};
use crate::{Style, WebUrl};

/// Maximum depth. Deeper elements are ignored, but their text is read.
const MAX_DEPTH: usize = 256;

pub(crate) struct Reader {
    blocks: Blocks,
    part: Part,
    /// Tag of the start tag whose attributes are being read.
    tag: Option<Tag>,
    attributes: Attributes,
    stack: Vec<(Tag, Undo)>,
    /// Number of open elements of each tag, so that an end tag without a start tag costs constant time.
    open: [usize; TAGS],
    /// Depth of the stack at the start of the skipped element, if any.
    unread_from: Option<usize>,
}

impl Reader {
    pub(crate) fn new(base: &WebUrl, style: Style, limit: usize, part: Part) -> Self {
        Self {
            blocks: Blocks::new(base, style, limit),
            part,
            tag: None,
            attributes: Attributes::default(),
            stack: Vec::new(),
            open: [0; TAGS],
            unread_from: None,
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.blocks.is_full()
    }

    pub(crate) fn open(&mut self, name: &[u8]) {
        self.tag = Tag::from_name(name);
        self.attributes = Attributes::default();
    }

    pub(crate) fn attribute(&mut self, name: &[u8]) {
        self.attributes.name(name);
    }

    pub(crate) fn value(&mut self, value: &[u8]) {
        self.attributes.value(value);
    }

    /// Handles a complete start tag.
    pub(crate) fn start(&mut self) {
        let Some(tag) = self.tag.take() else { return };
        let attributes = std::mem::take(&mut self.attributes);
        self.end_implied(tag);
        if tag.is_void() {
            if self.unread_from.is_none() && !attributes.is_hidden() {
                self.blocks.void(tag, &attributes);
            }
            return;
        }
        if self.stack.len() >= MAX_DEPTH {
            return;
        }
        if self.unread_from.is_none() && self.is_unread(tag, &attributes) {
            self.unread_from = Some(self.stack.len());
            if tag == Tag::Boilerplate {
                self.blocks.gap();
            }
        }
        let undo =
            if self.unread_from.is_some() { Undo::Nothing } else { self.blocks.enter(tag, attributes) };
        self.stack.push((tag, undo));
        if let Some(count) = self.open.get_mut(tag as usize) {
            *count = count.saturating_add(1);
        }
    }

    pub(crate) fn end(&mut self, name: &[u8]) {
        let Some(tag) = Tag::from_name(name).filter(|tag| self.is_open(*tag)) else { return };
        let is_of_table = matches!(tag, Tag::Cell | Tag::Row | Tag::Table);
        // An end tag in a table cell cannot close an element outside of the cell.
        let borders: &[Tag] = if is_of_table { &[] } else { &[Tag::Cell] };
        self.end_down_to(tag, borders);
    }

    pub(crate) fn text(&mut self, text: &str) {
        if self.unread_from.is_none() {
            self.blocks.text(text);
        }
    }

    /// Returns the page, or its main part if that has at least `meant` bytes.
    pub(crate) fn finish(mut self, meant: usize) -> RenderedText {
        // Check before the open elements are closed, because closing them can fill the output without losing
        // text.
        let is_cut = self.is_full();
        while !self.stack.is_empty() {
            self.pop();
        }
        self.blocks.finish(meant, is_cut)
    }

    fn is_open(&self, tag: Tag) -> bool {
        self.open.get(tag as usize).is_some_and(|count| *count > 0)
    }

    fn is_unread(&self, tag: Tag, attributes: &Attributes) -> bool {
        let is_aside = tag == Tag::Boilerplate || attributes.is_navigation();
        tag == Tag::Unseen || attributes.is_hidden() || (self.part == Part::Content && is_aside)
    }

    /// Closes the elements that a start tag closes implicitly (WHATWG HTML, 13.1.2.4).
    fn end_implied(&mut self, tag: Tag) {
        if !tag.is_inline() && self.is_open(Tag::Paragraph) {
            let block = self.stack.iter().rev().find(|(open, _)| !open.is_inline());
            if block.is_some_and(|(open, _)| *open == Tag::Paragraph) {
                self.end_down_to(Tag::Paragraph, &[]);
            }
        }
        if let Some((ended, borders)) = tag.ends()
            && self.is_open(ended)
        {
            self.end_down_to(ended, borders);
        }
    }

    /// Closes all elements up to the innermost one with this tag, unless a border is inside of it.
    fn end_down_to(&mut self, tag: Tag, borders: &[Tag]) {
        let found = self.stack.iter().rposition(|(open, _)| *open == tag || borders.contains(open));
        let Some(found) = found.filter(|found| self.stack.get(*found).is_some_and(|(open, _)| *open == tag))
        else {
            return;
        };
        while self.stack.len() > found {
            self.pop();
        }
    }

    fn pop(&mut self) {
        let Some((tag, undo)) = self.stack.pop() else { return };
        if let Some(count) = self.open.get_mut(tag as usize) {
            *count = count.saturating_sub(1);
        }
        if self.unread_from == Some(self.stack.len()) {
            self.unread_from = None;
        }
        self.blocks.leave(undo);
    }
}
