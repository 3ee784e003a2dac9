//! Leaving things out of a conversation, without parting a call from its result (RULES R4).

use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_protocol::{CallId, Content, History, Message, Part, Role, ToolResult};

use super::Transcript;
use crate::words;

impl Transcript {
    /// The results before the newest so many answers that are longer than so many bytes, or have images, and were not
    /// left out before.
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

    /// Where there are more than so many images in results: the results with all but the newest half of that, so that the
    /// beginning of the conversation does not change with every one more. Those of the newest answer stay.
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

    /// The first message of the newest so many answers, with what was said right before them: what stands before it can
    /// go, but for the task.
    pub(crate) fn turns_before(&self, keep_answers: usize) -> usize {
        let mut at = self.answers_from(keep_answers);
        while at > 0 && self.closed.get(at.saturating_sub(1)).is_some_and(|before| before.role == Role::User)
        {
            at = at.saturating_sub(1);
        }
        at
    }

    /// How many messages a cut at `until` leaves out.
    pub(crate) fn count_before(&self, until: usize) -> usize {
        let kept = self.kept(self.task);
        (0..until).filter(|at| !kept.contains(at)).count()
    }

    /// The message that stays before a cut, with its results if it has calls.
    fn kept(&self, at: usize) -> std::ops::Range<usize> {
        let has_calls = self.closed.get(at).is_some_and(|message| message.calls().next().is_some());
        at..at.saturating_add(if has_calls { 2 } else { 1 })
    }

    /// The first place from `at` up to `until` where no call is parted from its result.
    pub(crate) fn safe_cut(&self, at: usize, until: usize) -> usize {
        let is_safe = |at: &usize| self.closed.get(*at).is_none_or(|message| message.role != Role::Tool);
        (at..=until).find(is_safe).unwrap_or(until)
    }

    /// Leaves results out, each with a word in its place, and all messages before `until` but one, `kept`, with a note in
    /// their place. No call is parted from its result, wherever the cut is.
    pub(crate) fn leave_out(&mut self, pruned: &[CallId], until: usize, kept: usize, note: Option<&str>) {
        let pruned: BTreeSet<&CallId> = pruned.iter().collect();
        let until = self.safe_cut(until, self.closed.len());
        let kept = self.kept(kept);
        let (mut task, mut note_at) = (0, None);
        let mut note = note;
        let mut shorter = History::new();
        for at in 0..self.closed.len() {
            let Some(message) = self.closed.get_shared(at) else { continue };
            let is_kept = kept.contains(&at);
            if at < until && !is_kept {
                continue;
            }
            // The note stands behind the message that is kept, or where the conversation begins.
            if !is_kept && let Some(note) = note.take() {
                note_at = Some(shorter.len());
                shorter.push(Message::user(note));
            } else if self.note == Some(at) {
                note_at = Some(shorter.len());
            }
            if at == self.task {
                task = shorter.len();
            }
            // What is not touched stays shared, and so does what was encoded of it.
            shorter.push(without(message, &pruned));
        }
        if let Some(note) = note {
            note_at = Some(shorter.len());
            shorter.push(Message::user(note));
        }
        self.closed = shorter;
        (self.task, self.note) = (task, note_at);
        self.count_again();
    }

    /// Where the newest so many answers begin.
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
        // An image is always worth leaving out.
        _ => usize::MAX,
    };
    result.content.iter().map(size).fold(0, usize::saturating_add)
}

fn without(message: &Arc<Message>, pruned: &BTreeSet<&CallId>) -> Arc<Message> {
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
        }
    }
    Arc::new(shorter)
}
