//! A borrowed view of one value of a snapshot.

use crate::document::{Document, Record};

/// The JSON type of a value, determined by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "JSON has six types")]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    pub(crate) fn is_container(self) -> bool {
        matches!(self, Self::Array | Self::Object)
    }
}

/// The extent to which a value is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "every consumer must distinguish the three")]
pub enum Completeness {
    /// Only the type is known: a number without its delimiter, or an incomplete literal.
    Pending,
    /// The visible part is final, but more can arrive: an open string, array or object.
    Growing,
    /// The value has ended and will not change.
    Complete,
}

/// A view of one value as far as it has arrived. Copying it is free.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    pub(crate) document: &'a Document,
    pub(crate) at: u32,
    pub(crate) record: &'a Record,
}

impl<'a> Node<'a> {
    pub(crate) fn new(document: &'a Document, at: u32) -> Option<Self> {
        Some(Self { document, at, record: document.record(at)? })
    }

    /// Returns the JSON type.
    pub fn kind(self) -> Kind {
        self.record.kind
    }

    /// Returns how complete the value is.
    pub fn completeness(self) -> Completeness {
        self.record.completeness
    }

    /// Returns whether the value is complete.
    pub fn is_complete(self) -> bool {
        self.record.completeness == Completeness::Complete
    }

    /// Returns the text of a string as far as it has arrived, or `None` for another type.
    pub fn as_str(self) -> Option<&'a str> {
        (self.record.kind == Kind::String).then(|| self.document.text_of(self.record.body))
    }

    /// Returns the text of a number as written, or `None` if it is incomplete or not a number.
    pub fn number_text(self) -> Option<&'a str> {
        let whole = self.record.kind == Kind::Number && self.is_complete();
        whole.then(|| self.document.text_of(self.record.body))
    }

    /// Returns a boolean, or `None` if it is incomplete or not a boolean.
    pub fn as_bool(self) -> Option<bool> {
        (self.record.kind == Kind::Bool && self.is_complete()).then_some(self.record.truth)
    }

    /// Returns the number of elements or members that an array or object has so far; 0 for other types.
    pub fn len(self) -> usize {
        if self.record.kind.is_container() { crate::document::wide(self.record.body.start) } else { 0 }
    }

    /// Returns whether [`len`](Self::len) is 0.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the member with this key, or the last one if the key is repeated. Linear in the number of
    /// members.
    pub fn get(self, key: &str) -> Option<Self> {
        if self.record.kind != Kind::Object {
            return None;
        }
        let (document, end) = (self.document, self.document.subtree_end(self.at));
        let mut at = self.at.saturating_add(1);
        while at < end {
            let record = document.record(at)?;
            if !record.superseded && document.is_text(record.key, key) {
                return Some(Self { document, at, record });
            }
            at = document.end_of(record, at);
        }
        None
    }

    /// Returns the element at this index. Linear in the number of elements.
    pub fn at(self, index: usize) -> Option<Self> {
        self.elements().nth(index)
    }

    /// Returns the members of an object in text order; an empty iterator for other types.
    pub fn members(self) -> Members<'a> {
        Members { children: Children::new(self, Kind::Object) }
    }

    /// Returns the elements of an array; an empty iterator for other types.
    pub fn elements(self) -> Elements<'a> {
        Elements { children: Children::new(self, Kind::Array) }
    }
}

impl core::fmt::Debug for Node<'_> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut shown = formatter.debug_struct("Node");
        shown.field("kind", &self.kind()).field("completeness", &self.completeness());
        match self.kind() {
            Kind::String => shown.field("text", &self.as_str()),
            Kind::Number => shown.field("text", &self.number_text()),
            Kind::Array | Kind::Object => shown.field("len", &self.len()),
            Kind::Null | Kind::Bool => &mut shown,
        };
        shown.finish_non_exhaustive()
    }
}

#[derive(Debug, Clone)]
struct Children<'a> {
    document: &'a Document,
    next: u32,
    end: u32,
}

impl<'a> Children<'a> {
    fn new(parent: Node<'a>, kind: Kind) -> Self {
        let first = parent.at.saturating_add(1);
        let end = if parent.record.kind == kind { parent.document.subtree_end(parent.at) } else { first };
        Self { document: parent.document, next: first, end }
    }
}

impl<'a> Iterator for Children<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        while self.next < self.end {
            let node = Node::new(self.document, self.next)?;
            self.next = self.document.subtree_end(self.next);
            if !node.record.superseded {
                return Some(node);
            }
        }
        None
    }
}

/// Iterator over the members of an object, as pairs of key and value. Skips members that a repeated key has
/// replaced.
#[derive(Debug, Clone)]
pub struct Members<'a> {
    children: Children<'a>,
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, Node<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let node = self.children.next()?;
        Some((node.document.text_of(node.record.key), node))
    }
}

/// Iterator over the elements of an array.
#[derive(Debug, Clone)]
pub struct Elements<'a> {
    children: Children<'a>,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.children.next()
    }
}
