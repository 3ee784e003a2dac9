//! The removal of results and turns from a conversation, which never separates a call from its result (RULES
//! R4).

use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_protocol::{CallId, Content, History, Message, Part, Role, ToolResult};

use super::Transcript;
use crate::words;

impl Transcript {
    /// Returns the calls whose results come before the newest `keep_answers` answers and contain an image or
    /// more than `longer_than` bytes of text.
    pub(crate) fn old_results(&self, keep_answers: usize, longer_than: usize) -> Vec<CallId> {
        let end = self.answers_from(keep_answers);
        let messages = self.closed.iter().take(end).filter(|message| message.role == Role::Tool);
        messages
            .flat_map(|message| &message.parts)
            .filter_map(|part| match part {
                Part::Result(result) if bytes(result) > longer_than => Some(result.call.clone()),
                _ => None,
            })
            .collect()
    }

    /// Returns the calls whose images are to be removed if results contain more than `most` images: all but
    /// the newest half of `most`, so that the prefix of the conversation does not change with every further
    /// image. The images of the newest answer stay.
    pub(crate) fn surplus_images(&self, most: usize) -> Vec<CallId> {
        let newest = self.answers_from(1);
        let images = |result: &ToolResult| {
            result.content.iter().filter(|content| matches!(content, Content::Image(_))).count()
        };
        let with_images = self.closed.iter().enumerate().rev().flat_map(|(at, message)| {
            message.parts.iter().rev().filter_map(move |part| match part {
                Part::Result(result) if images(result) > 0 => Some((at, result)),
                _ => None,
            })
        });
        let (mut all, mut surplus) = (0_usize, Vec::new());
        for (at, result) in with_images {
            all = all.saturating_add(images(result));
            if all > most.div_ceil(2) && at < newest {
                surplus.push(result.call.clone());
            }
        }
        if all > most { surplus } else { Vec::new() }
    }

    /// Returns the position of the newest `keep_answers` answers, including the user messages directly before
    /// them. A cut may remove all earlier messages except the task.
    pub(crate) fn turns_before(&self, keep_answers: usize) -> usize {
        let mut at = self.answers_from(keep_answers);
        while at > 0 && self.closed.get(at.saturating_sub(1)).is_some_and(|before| before.role == Role::User)
        {
            at = at.saturating_sub(1);
        }
        at
    }

    /// Returns the number of messages that a cut at `until` removes.
    pub(crate) fn count_before(&self, until: usize) -> usize {
        let kept = self.range_to_keep(self.task);
        (0..until).filter(|at| !kept.contains(at)).count()
    }

    /// Returns the range of the message that stays before a cut, including its results if it has calls.
    fn range_to_keep(&self, at: usize) -> std::ops::Range<usize> {
        let has_calls = self.closed.get(at).is_some_and(|message| message.calls().next().is_some());
        at..at.saturating_add(if has_calls { 2 } else { 1 })
    }

    /// Returns the first position from `at` to `until` at which a cut does not separate a call from its
    /// result.
    pub(crate) fn safe_cut(&self, at: usize, until: usize) -> usize {
        let is_safe = |at: &usize| self.closed.get(*at).is_none_or(|message| message.role != Role::Tool);
        (at..=until).find(is_safe).unwrap_or(until)
    }

    /// Replaces the `pruned` results by a short text, and all messages before `until` except `kept` by a
    /// note. Moves `until` if the cut would separate a call from its result.
    pub(crate) fn leave_out(&mut self, pruned: &[CallId], until: usize, kept: usize, note: Option<&str>) {
        let pruned: BTreeSet<&CallId> = pruned.iter().collect();
        let until = self.safe_cut(until, self.closed.len());
        let kept = self.range_to_keep(kept);
        let (mut task, mut note_at) = (0, None);
        let mut note = note;
        let mut shorter = History::new();
        for at in 0..self.closed.len() {
            let Some(message) = self.closed.get_shared(at) else { continue };
            let is_kept = kept.contains(&at);
            if at < until && !is_kept {
                continue;
            }
            // The note follows the kept message, or begins the conversation.
            if !is_kept && let Some(note) = note.take() {
                note_at = Some(shorter.len());
                shorter.push(Message::user(note));
            } else if self.note == Some(at) {
                note_at = Some(shorter.len());
            }
            if at == self.task {
                task = shorter.len();
            }
            // Unchanged messages stay shared, and so does their cached encoding.
            shorter.push(strip_pruned(message, &pruned));
        }
        if let Some(note) = note {
            note_at = Some(shorter.len());
            shorter.push(Message::user(note));
        }
        self.closed = shorter;
        (self.task, self.note) = (task, note_at);
        self.count_again();
    }

    /// Returns the position of the newest `count` answers.
    pub(super) fn answers_from(&self, count: usize) -> usize {
        let answers = self.closed.iter().enumerate().filter(|(_, message)| message.role == Role::Assistant);
        let places: Vec<usize> = answers.map(|(at, _)| at).collect();
        match places.len().checked_sub(count) {
            Some(first) => places.get(first).copied().unwrap_or(self.closed.len()),
            None => 0,
        }
    }
}

fn bytes(result: &ToolResult) -> usize {
    let size = |content: &Content| match content {
        Content::Text { text } => text.len(),
        // An image always counts as longer than the limit.
        _ => usize::MAX,
    };
    result.content.iter().map(size).fold(0, usize::saturating_add)
}

fn strip_pruned(message: &Arc<Message>, pruned: &BTreeSet<&CallId>) -> Arc<Message> {
    let is_pruned = |part: &Part| matches!(part, Part::Result(result) if pruned.contains(&result.call));
    if !message.parts.iter().any(is_pruned) {
        return Arc::clone(message);
    }
    let mut shorter = Message::clone(message);
    for part in &mut shorter.parts {
        if let Part::Result(result) = part
            && pruned.contains(&result.call)
        {
            let text = words::result_left_out(result);
            result.content = vec![Content::text(text)];
            result.advice = None;
        }
    }
    Arc::new(shorter)
}
