//! Making a conversation shorter: old results go first, then whole turns.

use windlass_protocol::{CallId, Usage};

use super::Condense;
use crate::machine::Machine;
use crate::{Effect, Entry, Event, words};

/// What stays when a provider has refused the length: so many answers, and results up to so many bytes.
const NEWEST: usize = 1;
const SHORT: usize = 256;

/// Turns that are left out.
#[derive(Default)]
pub(super) struct Cut {
    /// The first message that stays; 0 where no turn goes.
    pub(super) until: usize,
    /// The note in the place of the turns.
    pub(super) note: Option<String>,
    /// Whether the model was asked for a summary.
    pub(super) summarized: bool,
    /// The tokens of the summary.
    pub(super) usage: Usage,
}

impl Machine {
    /// Leaves out what the newest answers do not need. True if the model sums up first what is to go.
    pub(super) fn compact(&mut self) -> bool {
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

    /// Leaves the oldest images out where there are more than so many.
    pub(super) fn leave_out_images(&mut self, most: usize) {
        let surplus = self.transcript.surplus_images(most);
        if surplus.is_empty() {
            return;
        }
        let before = self.context_tokens();
        self.prune(&surplus);
        self.tell_compacted(before, surplus.len(), 0);
    }

    /// The provider says that the request is too long. It is made as short as it can be, once; false if nothing can go.
    pub(crate) fn shrink(&mut self) -> bool {
        if std::mem::replace(&mut self.meter.has_shrunk, true) {
            return false;
        }
        let before = self.context_tokens();
        if self.config.context.window == 0 {
            // What it refused is more than the window; next time there is room before it says so.
            self.config.context.window = before;
        }
        let mut pruned = self.transcript.old_results(NEWEST, SHORT);
        // Half of the turns that can go, so that one more request is likely to be enough.
        let until = self.transcript.turns_before(NEWEST);
        let until = self.half_of(until);
        let messages = self.transcript.count_before(until);
        if pruned.is_empty() && messages == 0 {
            // There is nothing old: one of the newest results is too long.
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

    /// A safe place to cut that leaves out half of what a cut at `until` would, or more.
    fn half_of(&self, until: usize) -> usize {
        let half = self.transcript.count_before(until).div_ceil(2);
        let at = (0..=until).find(|at| self.transcript.count_before(*at) >= half);
        self.transcript.safe_cut(at.unwrap_or(until), until)
    }

    /// The note in the place of turns that go without a summary. A summary that an earlier note has is kept.
    pub(super) fn note(&self, until: usize) -> String {
        words::left_out_without_summary(self.transcript.note_before(until))
    }

    fn prune(&mut self, results: &[CallId]) {
        if !results.is_empty() {
            self.leave_out(results, Cut::default());
        }
    }

    /// Leaves results and turns out, and records that it did.
    pub(super) fn leave_out(&mut self, pruned: &[CallId], cut: Cut) {
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
