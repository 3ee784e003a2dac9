//! A part that streams.

use serde_json::Value;

use super::change::{Change, PartKind, Whole};

/// Part that streams.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) id: String,
    pub(super) kind: PartKind,
    pub(super) index: u32,
    pub(super) text: String,
    pub(super) is_closed: bool,
}

impl Draft {
    pub(super) fn new(id: &str, kind: &PartKind, index: u32) -> Self {
        Self { id: id.to_owned(), kind: kind.clone(), index, text: String::new(), is_closed: false }
    }

    pub(super) fn delta(&self, text: &str) -> Change {
        Change::Delta { id: self.id.clone(), kind: self.kind.clone(), text: text.to_owned() }
    }

    pub(super) fn close(&mut self) -> Option<Change> {
        if self.is_closed {
            return None;
        }
        self.is_closed = true;
        Some(Change::End { id: self.id.clone(), kind: self.kind.clone() })
    }

    /// Completes the draft to a whole part. Returns `None` if the draft is not the beginning of the part.
    pub(super) fn complete(&mut self, whole: &Whole) -> Option<Vec<Change>> {
        if !self.kind.can_become(&whole.kind) {
            return None;
        }
        let text = whole.text();
        let is_call = matches!(self.kind, PartKind::Call { .. });
        let mut changes = Vec::new();
        if is_call && !self.text.is_empty() {
            let has_other_draft = self.text != text
                && serde_json::from_str::<Value>(&self.text).ok().as_ref() != Some(&whole.content);
            changes.extend(self.close());
            changes.push(Change::Call { whole: whole.clone(), has_other_draft });
            return Some(changes);
        }
        let rest = text.strip_prefix(self.text.as_str())?.to_owned();
        if !rest.is_empty() {
            if self.is_closed && !is_call {
                return None;
            }
            if !self.is_closed {
                changes.push(self.delta(&rest));
            }
        }
        let has_other_draft = self.is_closed;
        changes.extend(self.close());
        if is_call {
            changes.push(Change::Call { whole: whole.clone(), has_other_draft });
        }
        Some(changes)
    }
}
