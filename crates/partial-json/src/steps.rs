//! Changes since a bookmark, for any number of independent readers of one text.
//!
//! Unlike events, steps carry no paths, and the reader keeps the position, so a shared snapshot is enough to
//! iterate.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use crate::document::{Document, OPEN};
use crate::node::{Completeness, Kind, Node};
use crate::snapshot::Snapshot;

/// The position of one reader in a text. A new bookmark is at the start.
#[derive(Debug, Default)]
pub struct Bookmark {
    /// The open containers whose `End` has not been returned.
    open: Vec<u32>,
    /// The open string whose `End` has not been returned, and the number of its bytes that have been
    /// returned.
    text: Option<(u32, usize)>,
    next: u32,
}

/// A change of one value, with the depth of that value.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct NestedChange<'a> {
    /// The number of containers around the value: 0 for the top-level value.
    pub depth: usize,
    /// The change.
    pub change: JsonChange<'a>,
}

/// A change of a value. A value that is not returned as `Whole` has a `Begin`, any number of `Grow` if it is
/// a string, and an `End`.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_enums, reason = "a reader that misses one shows something wrong")]
pub enum JsonChange<'a> {
    /// An array, an object or a string started.
    Begin {
        /// The key; empty for elements and for the top-level value.
        key: &'a str,
        /// The value.
        value: Node<'a>,
    },
    /// The string of the last `Begin` grew.
    Grow {
        /// The text that was added.
        text: &'a str,
    },
    /// The value of the last `Begin` without an `End` is complete.
    End {
        /// The value.
        value: Node<'a>,
    },
    /// A string, number or literal that was already complete when it was first returned.
    Whole {
        /// The key; empty for elements and for the top-level value.
        key: &'a str,
        /// The value.
        value: Node<'a>,
    },
}

/// Iterator over the changes since a bookmark, in text order. Its cost is proportional to the number of
/// changes and the length of new text.
#[derive(Debug)]
pub struct Steps<'a, 'b> {
    document: &'a Document,
    bookmark: &'b mut Bookmark,
    /// Set when all available text of an open string has been returned.
    is_done: bool,
}

impl<'a> Snapshot<'a> {
    /// Returns the changes since this bookmark and advances it. Use a bookmark for one text only.
    ///
    /// ```
    /// use windlass_partial_json::{Bookmark, JsonChange, Parser};
    ///
    /// let (mut parser, mut bookmark, mut seen) = (Parser::new(), Bookmark::default(), Vec::new());
    /// for delta in [r#"{"line": 1"#, r#"2, "text": "fn"#, r#" main"#] {
    ///     parser.push(delta)?;
    ///     for step in parser.snapshot().steps(&mut bookmark) {
    ///         match step.change {
    ///             JsonChange::Begin { key, .. } => seen.push(format!("{key} began at depth {}", step.depth)),
    ///             JsonChange::Grow { text } => seen.push(format!("+ {text}")),
    ///             JsonChange::Whole { key, value } => seen.push(format!("{key} = {:?}", value.number_text())),
    ///             JsonChange::End { .. } => {}
    ///         }
    ///     }
    /// }
    /// assert_eq!(seen, [" began at depth 0", "line = Some(\"12\")", "text began at depth 1", "+ fn", "+  main"]);
    /// # Ok::<(), windlass_partial_json::Error>(())
    /// ```
    pub fn steps<'b>(self, bookmark: &'b mut Bookmark) -> Steps<'a, 'b> {
        Steps { document: &self.parser.document, bookmark, is_done: false }
    }
}

impl<'a> Iterator for Steps<'a, '_> {
    type Item = NestedChange<'a>;

    #[inline]
    fn next(&mut self) -> Option<NestedChange<'a>> {
        if self.is_done {
            return None;
        }
        let depth = self.bookmark.open.len();
        if let Some((at, told)) = self.bookmark.text {
            return self.text(at, told).map(|change| NestedChange { depth, change });
        }
        if let Some(container) = self.bookmark.open.last() {
            let value = Node::new(self.document, *container)?;
            let end = value.record.body.end;
            if end != OPEN && self.bookmark.next >= end {
                self.bookmark.open.pop();
                return Some(NestedChange {
                    depth: depth.saturating_sub(1),
                    change: JsonChange::End { value },
                });
            }
        }
        self.value().map(|change| NestedChange { depth, change })
    }
}

impl<'a> Steps<'a, '_> {
    /// Returns the next change of the open string, if any.
    #[inline]
    fn text(&mut self, at: u32, told: usize) -> Option<JsonChange<'a>> {
        let value = Node::new(self.document, at)?;
        let new = value.as_str().and_then(|text| text.get(told..)).unwrap_or_default();
        if !new.is_empty() {
            self.bookmark.text = Some((at, told.saturating_add(new.len())));
            self.is_done = !value.is_complete();
            return Some(JsonChange::Grow { text: new });
        }
        if !value.is_complete() {
            return None;
        }
        self.bookmark.text = None;
        Some(JsonChange::End { value })
    }

    /// Returns the first change of the next value, or `None` while that value is pending.
    #[inline]
    fn value(&mut self) -> Option<JsonChange<'a>> {
        let at = self.bookmark.next;
        let value = Node::new(self.document, at)?;
        let key = self.document.text_of(value.record.key);
        let change = match (value.kind(), value.completeness()) {
            (Kind::Array | Kind::Object, _) => {
                self.bookmark.open.push(at);
                JsonChange::Begin { key, value }
            }
            (_, Completeness::Complete) => JsonChange::Whole { key, value },
            (_, Completeness::Growing) => {
                self.bookmark.text = Some((at, 0));
                JsonChange::Begin { key, value }
            }
            (_, Completeness::Pending) => return None,
        };
        self.bookmark.next = at.saturating_add(1);
        Some(change)
    }
}

impl Node<'_> {
    /// Returns the path of the value as a JSON Pointer (RFC 6901). The search starts at the root, so its cost
    /// grows with the number of preceding siblings on each level.
    pub fn path(self) -> String {
        let mut path = String::new();
        let mut at = 0;
        while at < self.at {
            let Some(parent) = self.document.record(at) else { break };
            let mut child = at.saturating_add(1);
            let mut index = 0_usize;
            while self.document.subtree_end(child) <= self.at {
                child = self.document.subtree_end(child);
                index = index.saturating_add(1);
            }
            if parent.kind == Kind::Array {
                // Writing to a `String` cannot fail.
                let _ = write!(path, "/{index}");
            } else if let Some(record) = self.document.record(child) {
                let key = self.document.text_of(record.key);
                let _ = write!(path, "/{}", key.replace('~', "~0").replace('/', "~1"));
            }
            at = child;
        }
        path
    }
}
