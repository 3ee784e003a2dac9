//! What changed since a reader last looked, for any number of readers of one text.
//!
//! As events, but without paths and from a place that the reader keeps: nothing is written down that a reader
//! who follows along knows already, and a snapshot is enough.

use std::fmt::Write;

use crate::document::{Document, OPEN};
use crate::node::{Completeness, Kind, Node};
use crate::snapshot::Snapshot;

/// How far a reader has read. A new one is at the beginning.
#[derive(Debug, Default)]
pub struct Bookmark {
    /// The containers whose end has not been told.
    open: Vec<u32>,
    /// A string whose end has not been told, and how much of its text has.
    text: Option<(u32, usize)>,
    next: u32,
}

/// A change, and how deep in the text it is: 0 for the top-level value, 1 for what is in it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Step<'a> {
    /// How many containers are around the value.
    pub depth: usize,
    /// What happened to the value.
    pub change: Change<'a>,
}

/// What happened to a value. A value that is never told whole begins, grows where it is a string, and ends.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_enums, reason = "a reader that misses one shows something wrong")]
pub enum Change<'a> {
    /// An array, an object or a string began.
    Begin {
        /// Its key; empty for elements and the top-level value.
        key: &'a str,
        /// The value.
        value: Node<'a>,
    },
    /// The string that began last grew.
    Grow {
        /// What was added.
        text: &'a str,
    },
    /// The value that began last, and has not ended, is whole.
    End {
        /// The value.
        value: Node<'a>,
    },
    /// A string, number or literal came that is whole already.
    Whole {
        /// Its key; empty for elements and the top-level value.
        key: &'a str,
        /// The value.
        value: Node<'a>,
    },
}

/// The changes since a bookmark, in the order of the text. Costs what they cost.
#[derive(Debug)]
pub struct Steps<'a, 'b> {
    document: &'a Document,
    bookmark: &'b mut Bookmark,
    /// All that there is of an open string has been told.
    is_done: bool,
}

impl<'a> Snapshot<'a> {
    /// What has changed since this bookmark, which is moved along; a bookmark belongs to one text.
    ///
    /// ```
    /// use windlass_partial_json::{Bookmark, Change, Parser};
    ///
    /// let (mut parser, mut bookmark, mut seen) = (Parser::new(), Bookmark::default(), Vec::new());
    /// for delta in [r#"{"line": 1"#, r#"2, "text": "fn"#, r#" main"#] {
    ///     parser.push(delta)?;
    ///     for step in parser.snapshot().steps(&mut bookmark) {
    ///         match step.change {
    ///             Change::Begin { key, .. } => seen.push(format!("{key} began at depth {}", step.depth)),
    ///             Change::Grow { text } => seen.push(format!("+ {text}")),
    ///             Change::Whole { key, value } => seen.push(format!("{key} = {:?}", value.number_text())),
    ///             Change::End { .. } => {}
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
    type Item = Step<'a>;

    #[inline]
    fn next(&mut self) -> Option<Step<'a>> {
        if self.is_done {
            return None;
        }
        let depth = self.bookmark.open.len();
        if let Some((at, told)) = self.bookmark.text {
            return self.text(at, told).map(|change| Step { depth, change });
        }
        if let Some(container) = self.bookmark.open.last() {
            let value = Node::new(self.document, *container)?;
            let end = value.record.body.end;
            if end != OPEN && self.bookmark.next >= end {
                self.bookmark.open.pop();
                return Some(Step { depth: depth.saturating_sub(1), change: Change::End { value } });
            }
        }
        self.value().map(|change| Step { depth, change })
    }
}

impl<'a> Steps<'a, '_> {
    /// What is new of the open string.
    #[inline]
    fn text(&mut self, at: u32, told: usize) -> Option<Change<'a>> {
        let value = Node::new(self.document, at)?;
        let new = value.as_str().and_then(|text| text.get(told..)).unwrap_or_default();
        if !new.is_empty() {
            self.bookmark.text = Some((at, told.saturating_add(new.len())));
            self.is_done = !value.is_complete();
            return Some(Change::Grow { text: new });
        }
        if !value.is_complete() {
            return None;
        }
        self.bookmark.text = None;
        Some(Change::End { value })
    }

    /// The next value, unless it is pending.
    #[inline]
    fn value(&mut self) -> Option<Change<'a>> {
        let at = self.bookmark.next;
        let value = Node::new(self.document, at)?;
        let key = self.document.text_of(value.record.key);
        let change = match (value.kind(), value.completeness()) {
            (Kind::Array | Kind::Object, _) => {
                self.bookmark.open.push(at);
                Change::Begin { key, value }
            }
            (_, Completeness::Complete) => Change::Whole { key, value },
            (_, Completeness::Growing) => {
                self.bookmark.text = Some((at, 0));
                Change::Begin { key, value }
            }
            (_, Completeness::Pending) => return None,
        };
        self.bookmark.next = at.saturating_add(1);
        Some(change)
    }
}

impl Node<'_> {
    /// Where the value is, as a JSON Pointer. Looks for it from the top, so this costs what stands before it.
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
