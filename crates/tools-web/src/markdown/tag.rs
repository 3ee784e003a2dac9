//! `Tag`: kinds of elements by their effect on the output.

/// Kind of an element. Elements with the same effect share a tag. Elements without a tag are ignored, but
/// their text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Anchor,
    Base,
    Block,
    Boilerplate,
    Break,
    Cell,
    Code,
    Deleted,
    Description,
    Emphasis,
    Heading1,
    Heading2,
    Heading3,
    Heading4,
    Heading5,
    Heading6,
    Image,
    Inline,
    Item,
    Main,
    NumberedList,
    Paragraph,
    Preformatted,
    Quote,
    Row,
    Rule,
    Strong,
    Superscript,
    Table,
    Term,
    Title,
    Unseen,
    List,
}

/// Number of tags.
pub(crate) const TAGS: usize = Tag::List as usize + 1;

impl Tag {
    pub(crate) fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"a" => Self::Anchor,
            b"base" => Self::Base,
            b"article" | b"section" | b"div" | b"header" | b"hgroup" | b"figure" | b"figcaption"
            | b"details" | b"summary" | b"form" | b"fieldset" | b"legend" | b"address" | b"center"
            | b"caption" | b"dl" | b"search" | b"body" => Self::Block,
            b"nav" | b"aside" | b"footer" | b"menu" => Self::Boilerplate,
            b"br" => Self::Break,
            b"td" | b"th" => Self::Cell,
            b"code" | b"kbd" | b"samp" | b"tt" => Self::Code,
            b"del" | b"s" | b"strike" => Self::Deleted,
            b"dd" => Self::Description,
            b"em" | b"i" => Self::Emphasis,
            b"h1" => Self::Heading1,
            b"h2" => Self::Heading2,
            b"h3" => Self::Heading3,
            b"h4" => Self::Heading4,
            b"h5" => Self::Heading5,
            b"h6" => Self::Heading6,
            b"img" => Self::Image,
            b"span" | b"label" | b"small" | b"font" | b"u" | b"mark" | b"sub" => Self::Inline,
            b"li" => Self::Item,
            b"main" => Self::Main,
            b"ol" => Self::NumberedList,
            b"p" => Self::Paragraph,
            b"pre" => Self::Preformatted,
            b"blockquote" => Self::Quote,
            b"tr" => Self::Row,
            b"hr" => Self::Rule,
            b"strong" | b"b" => Self::Strong,
            b"sup" => Self::Superscript,
            b"table" => Self::Table,
            b"dt" => Self::Term,
            b"title" => Self::Title,
            b"script" | b"style" | b"template" | b"svg" | b"math" | b"iframe" | b"object" | b"canvas"
            | b"audio" | b"video" | b"select" | b"textarea" | b"button" | b"datalist" | b"noscript"
            | b"noframes" | b"noembed" | b"dialog" => Self::Unseen,
            b"ul" => Self::List,
            _ => return None,
        })
    }

    /// Returns true if the element has neither content nor an end tag.
    pub(crate) fn is_void(self) -> bool {
        matches!(self, Self::Base | Self::Break | Self::Image | Self::Rule)
    }

    /// Returns true if the element is inline, so that it does not end a paragraph.
    pub(crate) fn is_inline(self) -> bool {
        matches!(
            self,
            Self::Anchor
                | Self::Break
                | Self::Code
                | Self::Deleted
                | Self::Emphasis
                | Self::Image
                | Self::Inline
                | Self::Strong
                | Self::Superscript
                | Self::Title
                | Self::Unseen
                | Self::Base
        )
    }

    /// Returns the level of a heading.
    pub(crate) fn heading(self) -> Option<usize> {
        Some(match self {
            Self::Heading1 => 1,
            Self::Heading2 => 2,
            Self::Heading3 => 3,
            Self::Heading4 => 4,
            Self::Heading5 => 5,
            Self::Heading6 => 6,
            _ => return None,
        })
    }

    /// Returns the tag that this start tag closes implicitly, and the tags that stop the search for it.
    pub(crate) fn ends(self) -> Option<(Self, &'static [Self])> {
        match self {
            Self::Item => Some((Self::Item, &[Self::List, Self::NumberedList, Self::Cell])),
            Self::Row => Some((Self::Row, &[Self::Table])),
            Self::Cell => Some((Self::Cell, &[Self::Table])),
            Self::Anchor => Some((Self::Anchor, &[Self::Cell])),
            _ => None,
        }
    }
}
