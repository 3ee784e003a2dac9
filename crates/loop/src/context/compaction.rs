//! Making a conversation shorter: old results go first, then whole turns.

use windlass_protocol::{CallId, Usage};

use super::Condense;
use crate::machine::Machine;
use crate::{Effect, Entry, Event, words};

/// What stays when a provider has refused the length: so many answers, and results up to so many bytes.
const NEWEST: usize = 1;
const SHORT: usize = 256;

impl Machine {
    /// Leaves out what the newest answers do not need. True if the model sums up first what is to go.
    pub(super) fn compact(&mut self) -> bool {
        let limits = self.config.context;
        let target = limits.part(limits.target_percent);
        let before = self.context_tokens();
        let pruned = self.transcript.old_results(limits.keep_answers, limits.keep_result_bytes);
        self.leave_out(&pruned, 0, None, Usage::default());
        if self.context_tokens() <= target {
            self.tell_compacted(before, pruned.len(), 0);
            return false;
        }
        let until = self.transcript.turns_before(limits.keep_answers);
        if until <= 1 {
            self.tell_compacted(before, pruned.len(), 0);
            return false;
        }
        match limits.condense {
            Condense::SumUp => self.sum_up(until, before),
            Condense::LeaveOut => {
                self.leave_out(&[], until, Some(&words::left_out(None)), Usage::default());
                self.tell_compacted(before, pruned.len(), until.saturating_sub(1));
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
        self.leave_out(&surplus, 0, None, Usage::default());
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
        let until = if until <= 1 { 0 } else { self.transcript.safe_cut(until.div_ceil(2), until) };
        if pruned.is_empty() && until <= 1 {
            // There is nothing old: one of the newest results is too long.
            pruned = self.transcript.old_results(0, self.config.context.keep_result_bytes);
        }
        if pruned.is_empty() && until <= 1 {
            return false;
        }
        let note = (until > 1).then(|| words::left_out(None));
        self.leave_out(&pruned, until, note.as_deref(), Usage::default());
        self.tell_compacted(before, pruned.len(), until.saturating_sub(1));
        true
    }

    /// Leaves results and the turns before a message out, and writes down that it did. `until` is 0 where no turn goes.
    pub(super) fn leave_out(&mut self, pruned: &[CallId], until: usize, note: Option<&str>, usage: Usage) {
        if pruned.is_empty() && until <= 1 {
            return;
        }
        self.want(Effect::Record(Entry::Compacted {
            pruned: pruned.to_vec(),
            until,
            note: note.map(str::to_owned),
            usage,
        }));
        self.transcript.leave_out(pruned, until, note);
    }

    fn tell_compacted(&mut self, before: u64, results: usize, messages: usize) {
        let (after, usage) = (self.context_tokens(), Usage::default());
        self.show(Event::ContextCompacted { before, after, results, messages, usage });
    }
}
