//! Events by path: the changes since the last call of `drain_events`.
//!
//! Events are not queued. Records are in text order and only the last open path changes, so the index of the
//! next record and the path of the last one are enough to resume.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use crate::document::{Document, OPEN};
use crate::node::{Kind, Node};

/// A change of the document. Paths are JSON Pointers (RFC 6901).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A value started; its type is known.
    Began {
        /// The value's path.
        path: &'a str,
        /// Its type.
        kind: Kind,
    },
    /// A string grew. The texts of all `Grew` events of one path, concatenated in order, are the string.
    Grew {
        /// The string's path.
        path: &'a str,
        /// The text that was added.
        text: &'a str,
    },
    /// A value is complete.
    Complete {
        /// The value's path.
        path: &'a str,
        /// The value.
        value: Node<'a>,
    },
    /// A key was repeated in its object. The value of the following `Began` event replaces the earlier one.
    Repeated {
        /// The path of both values.
        path: &'a str,
    },
}

/// An open container whose `Complete` event has not been emitted.
#[derive(Debug, Clone, Copy)]
struct Step {
    record: u32,
    /// The length of the path without the token of this container.
    parent_path: usize,
    /// Number of children whose `Began` event has been emitted.
    children: usize,
}

/// A string, number or literal whose `Complete` event has not been emitted.
#[derive(Debug, Clone, Copy)]
struct Leaf {
    record: u32,
    parent_path: usize,
    /// Number of bytes of its text that have been emitted.
    told: usize,
}

/// A resumable walk over the document: the position up to which events have been emitted.
#[derive(Debug, Default)]
pub(crate) struct Walker {
    path: String,
    steps: Vec<Step>,
    leaf: Option<Leaf>,
    next: u32,
}

impl Walker {
    /// Returns to the start of a text and keeps the allocations.
    pub(crate) fn into_start(mut self) -> Self {
        self.path.clear();
        self.steps.clear();
        Self { leaf: None, next: 0, ..self }
    }

    pub(crate) fn walk(&mut self, document: &Document, on_event: &mut dyn FnMut(Event<'_>)) {
        loop {
            if let Some(leaf) = self.leaf {
                if !self.tell_leaf(leaf, document, on_event) {
                    return;
                }
            } else if !self.tell_end(document, on_event) && !self.tell_next(document, on_event) {
                return;
            }
        }
    }

    /// Emits the new text and the end of the open leaf. Returns whether the leaf is complete.
    fn tell_leaf(&mut self, leaf: Leaf, document: &Document, on_event: &mut dyn FnMut(Event<'_>)) -> bool {
        let Some(value) = Node::new(document, leaf.record) else { return false };
        let path = self.path.as_str();
        let mut told = leaf.told;
        if let Some(text) = value.as_str() {
            if let Some(text) = text.get(told..).filter(|text| !text.is_empty()) {
                on_event(Event::Grew { path, text });
            }
            told = text.len();
        }
        if !value.is_complete() {
            self.leaf = Some(Leaf { told, ..leaf });
            return false;
        }
        on_event(Event::Complete { path, value });
        self.path.truncate(leaf.parent_path);
        self.leaf = None;
        true
    }

    /// Emits the end of the innermost container if all events of its children have been emitted.
    fn tell_end(&mut self, document: &Document, on_event: &mut dyn FnMut(Event<'_>)) -> bool {
        let Some(step) = self.steps.last().copied() else { return false };
        let Some(value) = Node::new(document, step.record) else { return false };
        if value.record.body.end == OPEN || self.next < value.record.body.end {
            return false;
        }
        on_event(Event::Complete { path: &self.path, value });
        self.path.truncate(step.parent_path);
        self.steps.pop();
        true
    }

    fn tell_next(&mut self, document: &Document, on_event: &mut dyn FnMut(Event<'_>)) -> bool {
        let Some(value) = Node::new(document, self.next) else { return false };
        let record = self.next;
        self.next = self.next.saturating_add(1);
        let parent_path = self.path.len();
        self.push_token(document, value);
        let path = self.path.as_str();
        if value.record.supersedes {
            on_event(Event::Repeated { path });
        }
        let kind = value.kind();
        on_event(Event::Began { path, kind });
        if kind.is_container() {
            self.steps.push(Step { record, parent_path, children: 0 });
        } else {
            self.leaf = Some(Leaf { record, parent_path, told: 0 });
        }
        true
    }

    fn push_token(&mut self, document: &Document, value: Node<'_>) {
        let Some(step) = self.steps.last_mut() else { return };
        let index = step.children;
        step.children = index.saturating_add(1);
        self.path.push('/');
        if document.record(step.record).is_some_and(|parent| parent.kind == Kind::Array) {
            // Writing to a `String` cannot fail.
            let _ = write!(self.path, "{index}");
            return;
        }
        for character in document.text_of(value.record.key).chars() {
            match character {
                '~' => self.path.push_str("~0"),
                '/' => self.path.push_str("~1"),
                other => self.path.push(other),
            }
        }
    }
}
