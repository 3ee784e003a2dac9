//! The work that streams and is not recorded yet, which all readers share.

use std::collections::BTreeMap;

use crate::feed::event::{AgentPath, FeedEvent};
use crate::feed::kind::FeedKind;

/// Bytes of a running call's output that are kept for readers that are slow or join late.
const KEPT_OUTPUT: usize = 64 * 1024;

/// The drafts of a run and its sub-agents, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    open: BTreeMap<u64, Draft>,
    next_id: u64,
    /// Number of drafts that were removed.
    removed: u64,
}

/// A text, a call's arguments or an output that grows, or an event without a text.
#[derive(Debug)]
pub(super) struct Draft {
    /// The first delta of the draft, with an empty text.
    pub(super) template: FeedEvent,
    /// The text until now. Of an output, only the end.
    pub(super) text: String,
    /// Bytes that were removed from the front of the text.
    pub(super) left_out: u64,
    /// Number of deltas.
    pub(super) pieces: u32,
    /// The event that ends the text.
    pub(super) end: Option<FeedEvent>,
    /// True if the draft has a text that grows.
    pub(super) is_text: bool,
}

impl Drafts {
    /// Returns the drafts with their ids, in the order in which they began.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &Draft)> {
        self.open.iter().map(|(id, draft)| (*id, draft))
    }

    /// Returns true if a draft exists.
    pub(super) fn contains(&self, id: u64) -> bool {
        self.open.contains_key(&id)
    }

    /// Returns the number of drafts that were removed.
    pub(super) fn count_removed(&self) -> u64 {
        self.removed
    }

    /// Follows an event: a delta extends a draft, and a numbered event removes the drafts that it replaces.
    pub(super) fn follow(&mut self, event: &FeedEvent) {
        let agent = &event.agent;
        match &event.kind {
            FeedKind::TurnEnded { .. } | FeedKind::Retry { .. } => {
                self.remove(|draft| draft.template.agent == *agent && !is_output(&draft.template.kind));
            }
            FeedKind::Result { call, .. } => self.remove(|draft| {
                draft.template.agent == *agent
                    && matches!(&draft.template.kind, FeedKind::CallOutput { call: of, .. } if of == call)
            }),
            FeedKind::RunEnded { .. } | FeedKind::Error { .. } => {
                self.remove(|draft| agent.is_none() || draft.template.agent == *agent);
            }
            FeedKind::TextEnded { .. }
            | FeedKind::ReasoningEnded { .. }
            | FeedKind::ArgumentsEnded { .. } => {
                if let Some(draft) = self.find(agent.as_ref(), &event.kind) {
                    draft.end = Some(event.clone());
                }
            }
            kind if kind.is_numbered() => {}
            FeedKind::TurnStarted { .. } => {
                self.remove(|draft| draft.template.agent == *agent && !is_output(&draft.template.kind));
                self.add(event);
            }
            _ => self.add(event),
        }
    }

    fn add(&mut self, event: &FeedEvent) {
        let Some(text) = text_of(&event.kind) else {
            self.insert(event, false);
            return;
        };
        let text = text.to_owned();
        if self.find(event.agent.as_ref(), &event.kind).is_none() {
            self.insert(event, true);
        }
        if let Some(draft) = self.find(event.agent.as_ref(), &event.kind) {
            draft.push(&text);
        }
    }

    fn insert(&mut self, event: &FeedEvent, is_text: bool) {
        let template = if is_text { with_text(event, 0, String::new(), 0, 0) } else { event.clone() };
        let draft = Draft { template, text: String::new(), left_out: 0, pieces: 0, end: None, is_text };
        self.open.insert(self.next_id, draft);
        self.next_id = self.next_id.saturating_add(1);
    }

    fn remove(&mut self, is_selected: impl Fn(&Draft) -> bool) {
        let before = self.open.len();
        self.open.retain(|_, draft| !is_selected(draft));
        let removed = before.saturating_sub(self.open.len());
        self.removed = self.removed.saturating_add(removed as u64);
    }

    /// Finds the text that a delta or an end belongs to.
    fn find(&mut self, agent: Option<&AgentPath>, kind: &FeedKind) -> Option<&mut Draft> {
        self.open
            .values_mut()
            .rev()
            .find(|draft| draft.template.agent.as_ref() == agent && is_same(&draft.template.kind, kind))
    }
}

impl Draft {
    fn push(&mut self, text: &str) {
        self.pieces = self.pieces.saturating_add(1);
        self.text.push_str(text);
        if is_output(&self.template.kind) && self.text.len() > KEPT_OUTPUT.saturating_mul(2) {
            let cut = self.text.ceil_char_boundary(self.text.len().saturating_sub(KEPT_OUTPUT));
            self.text.drain(..cut);
            self.left_out = self.left_out.saturating_add(cut as u64);
        }
    }

    /// Returns the length of the whole text in bytes.
    pub(super) fn end_offset(&self) -> u64 {
        self.left_out.saturating_add(self.text.len() as u64)
    }

    /// Returns one delta with the text from an offset on. `seen` is the number of deltas before.
    pub(super) fn delta_from(&self, offset: u64, seen: u32) -> FeedEvent {
        let left_out = self.left_out.saturating_sub(offset);
        let start = usize::try_from(offset.saturating_sub(self.left_out)).unwrap_or(usize::MAX);
        let text = self.text.get(start..).unwrap_or_default().to_owned();
        let pieces = self.pieces.saturating_sub(seen);
        let merged = if pieces > 1 { pieces } else { 0 };
        with_text(&self.template, offset, text, merged, left_out)
    }
}

fn is_output(kind: &FeedKind) -> bool {
    matches!(kind, FeedKind::CallOutput { .. })
}

fn text_of(kind: &FeedKind) -> Option<&str> {
    match kind {
        FeedKind::TextDelta { text, .. }
        | FeedKind::ReasoningDelta { text, .. }
        | FeedKind::ArgumentsDelta { text, .. }
        | FeedKind::CallOutput { text, .. } => Some(text),
        _ => None,
    }
}

/// Returns true if a delta or an end belongs to the text of a draft.
fn is_same(draft: &FeedKind, kind: &FeedKind) -> bool {
    match (draft, kind) {
        (
            FeedKind::TextDelta { turn, index, .. },
            FeedKind::TextDelta { turn: of, index: at, .. } | FeedKind::TextEnded { turn: of, index: at },
        )
        | (
            FeedKind::ReasoningDelta { turn, index, .. },
            FeedKind::ReasoningDelta { turn: of, index: at, .. }
            | FeedKind::ReasoningEnded { turn: of, index: at },
        ) => (turn, index) == (of, at),
        (
            FeedKind::ArgumentsDelta { call, .. },
            FeedKind::ArgumentsDelta { call: of, .. } | FeedKind::ArgumentsEnded { call: of },
        )
        | (FeedKind::CallOutput { call, .. }, FeedKind::CallOutput { call: of, .. }) => call == of,
        _ => false,
    }
}

/// Returns a delta of the same text with another content.
fn with_text(event: &FeedEvent, at: u64, new: String, pieces: u32, missing: u64) -> FeedEvent {
    let mut event = event.clone();
    match &mut event.kind {
        FeedKind::TextDelta { offset, text, merged, .. }
        | FeedKind::ReasoningDelta { offset, text, merged, .. }
        | FeedKind::ArgumentsDelta { offset, text, merged, .. } => {
            (*offset, *text, *merged) = (at, new, pieces);
        }
        FeedKind::CallOutput { text, merged, left_out, .. } => {
            (*text, *merged, *left_out) = (new, pieces, missing);
        }
        _ => {}
    }
    event
}
