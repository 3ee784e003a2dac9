//! The compaction of a conversation: old results are removed first, then whole turns.

use windlass_protocol::{CallId, Usage};

use crate::context::Condense;
use crate::machine::Machine;
use crate::{Effect, Entry, Event, words};

/// The answers, and the bytes of a result, that stay after a provider has refused the length of a request.
const NEWEST: usize = 1;
const SHORT: usize = 256;

/// The turns that a compaction removes.
#[derive(Default)]
pub(crate) struct Cut {
    /// The position of the first message that stays; 0 if no turn is removed.
    pub(crate) until: usize,
    /// The note that replaces the turns.
    pub(crate) note: Option<String>,
    /// True if the model was asked for a summary.
    pub(crate) summarized: bool,
    /// The tokens of the summary.
    pub(crate) usage: Usage,
}

impl Machine {
    /// Removes old results, and turns if that is not sufficient. Returns true if the model summarizes the
    /// turns first.
    pub(crate) fn compact(&mut self) -> bool {
        let limits = self.config.context;
        let target = limits.part(limits.target_percent);
        let before = self.context_tokens();
        let pruned = self.transcript.old_results(limits.keep_answers, limits.keep_result_bytes);
        self.prune(&pruned);
        if self.context_tokens() <= target {
            self.tell_compacted(before, pruned.len(), 0);
            return false;
        }
        let until = self.transcript.turns_before(limits.keep_answers);
        let messages = self.transcript.count_before(until);
        if messages == 0 {
            self.tell_compacted(before, pruned.len(), 0);
            return false;
        }
        match limits.condense {
            Condense::SumUp => self.sum_up(until, before),
            Condense::LeaveOut => {
                let cut = Cut { until, note: Some(self.note(until)), ..Cut::default() };
                self.leave_out(&[], cut);
                self.tell_compacted(before, pruned.len(), messages);
                return false;
            }
        }
        true
    }

    /// Removes the oldest images in results if there are more than `most`.
    pub(crate) fn leave_out_images(&mut self, most: usize) {
        let surplus = self.transcript.surplus_images(most);
        if surplus.is_empty() {
            return;
        }
        let before = self.context_tokens();
        self.prune(&surplus);
        self.tell_compacted(before, surplus.len(), 0);
    }

    /// Shortens a request that the provider refused for its length, once for each answer. Returns false if
    /// nothing can be removed.
    pub(crate) fn shrink(&mut self) -> bool {
        if std::mem::replace(&mut self.meter.has_shrunk, true) {
            return false;
        }
        let before = self.context_tokens();
        if self.config.context.window == 0 {
            // The refused size becomes the window, so that later requests are compacted before the provider
            // refuses them.
            self.config.context.window = before;
        }
        let mut pruned = self.transcript.old_results(NEWEST, SHORT);
        // Remove half of the removable turns, so that one more request is likely to succeed.
        let until = self.transcript.turns_before(NEWEST);
        let until = self.half_of(until);
        let messages = self.transcript.count_before(until);
        if pruned.is_empty() && messages == 0 {
            // No old content is left: one of the newest results is too long.
            pruned = self.transcript.old_results(0, self.config.context.keep_result_bytes);
        }
        if pruned.is_empty() && messages == 0 {
            return false;
        }
        if messages > 0 {
            let cut = Cut { until, note: Some(self.note(until)), ..Cut::default() };
            self.leave_out(&pruned, cut);
        } else {
            self.prune(&pruned);
        }
        self.tell_compacted(before, pruned.len(), messages);
        true
    }

    /// Returns a safe cut that removes at least half of the messages that a cut at `until` would remove.
    fn half_of(&self, until: usize) -> usize {
        let half = self.transcript.count_before(until).div_ceil(2);
        let at = (0..=until).find(|at| self.transcript.count_before(*at) >= half);
        self.transcript.safe_cut(at.unwrap_or(until), until)
    }

    /// Returns the note for turns that are removed without a summary. The summary of an earlier note is kept.
    pub(crate) fn note(&self, until: usize) -> String {
        words::left_out_without_summary(self.transcript.note_before(until))
    }

    fn prune(&mut self, results: &[CallId]) {
        if !results.is_empty() {
            self.leave_out(results, Cut::default());
        }
    }

    /// Removes results and turns, and records the removal.
    pub(crate) fn leave_out(&mut self, pruned: &[CallId], cut: Cut) {
        let Cut { until, note, summarized, usage } = cut;
        let kept = self.transcript.task();
        self.transcript.leave_out(pruned, until, kept, note.as_deref());
        let (pruned, kept) = (pruned.to_vec(), (until > 0).then_some(kept));
        self.want(Effect::Record(Entry::Compacted { pruned, until, kept, note, summarized, usage }));
    }

    fn tell_compacted(&mut self, before: u64, results: usize, messages: usize) {
        let (after, usage) = (self.context_tokens(), Usage::default());
        self.show(Event::ContextCompacted { before, after, results, messages, usage });
    }
}
