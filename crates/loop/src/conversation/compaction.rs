//! The compaction of a conversation: old results are removed first, then whole turns.

use windlass_protocol::{CallId, Usage};

use super::{Conversation, SummaryPlan};
use crate::commands::Commands;
use crate::{CompactionMode, Entry, Event, words};

/// The answers, and the bytes of a result, that stay after a provider has refused the length of a request.
const NEWEST: usize = 1;
const SHORT: usize = 256;

/// The turns that a compaction removes.
#[derive(Default)]
struct Cut {
    /// The position of the first message that stays; 0 if no turn is removed.
    until: usize,
    /// The note that replaces the turns.
    note: Option<String>,
    /// True if the model was asked for a summary.
    summarized: bool,
    /// The tokens of the summary.
    usage: Usage,
}

impl Conversation {
    /// Compacts the conversation if a limit is reached. Returns a plan if the model has to summarize turns
    /// before they are removed.
    pub(crate) fn make_room(&mut self, commands: &mut Commands) -> Option<SummaryPlan> {
        let limits = self.limits;
        if limits.most_images > 0 {
            self.leave_out_images(limits.most_images, commands);
        }
        self.report_pressure(commands);
        let is_full = limits.window > 0 && self.tokens() >= limits.part(limits.compact_percent);
        let is_requested = std::mem::take(&mut self.must_compact);
        if is_requested {
            self.compact(0, NEWEST, commands)
        } else if is_full {
            self.compact(limits.part(limits.target_percent), limits.keep_answers, commands)
        } else {
            None
        }
    }

    /// Removes old results, and turns if more than `target` tokens are left. The newest `keep` answers stay. Returns a
    /// plan if the model summarizes the turns first.
    fn compact(&mut self, target: u64, keep: usize, commands: &mut Commands) -> Option<SummaryPlan> {
        let limits = self.limits;
        let before = self.tokens();
        let pruned = self.transcript.old_results(keep, limits.keep_result_bytes);
        self.prune(&pruned, commands);
        if self.tokens() <= target {
            self.report_compaction(before, pruned.len(), 0, commands);
            return None;
        }
        let until = self.transcript.turns_before(keep);
        let messages = self.transcript.count_before(until);
        if messages == 0 {
            self.report_compaction(before, pruned.len(), 0, commands);
            return None;
        }
        match limits.condense {
            CompactionMode::SumUp => Some(SummaryPlan { until, before }),
            CompactionMode::LeaveOut => {
                let cut = Cut { until, note: Some(self.note(until)), ..Cut::default() };
                self.leave_out(&[], cut, commands);
                self.report_compaction(before, pruned.len(), messages, commands);
                None
            }
        }
    }

    /// Removes the oldest images in results if there are more than `most`.
    fn leave_out_images(&mut self, most: usize, commands: &mut Commands) {
        let surplus = self.transcript.surplus_images(most);
        if surplus.is_empty() {
            return;
        }
        let before = self.tokens();
        self.prune(&surplus, commands);
        self.report_compaction(before, surplus.len(), 0, commands);
    }

    /// Shortens a request that the provider refused for its length, once for each answer. Returns false if
    /// nothing can be removed.
    pub(crate) fn shrink(&mut self, commands: &mut Commands) -> bool {
        if std::mem::replace(&mut self.has_shrunk, true) {
            return false;
        }
        let before = self.tokens();
        if self.limits.window == 0 {
            // The refused size becomes the window, so that later requests are compacted before the provider
            // refuses them.
            self.limits.window = before;
        }
        let mut pruned = self.transcript.old_results(NEWEST, SHORT);
        // Remove half of the removable turns, so that one more request is likely to succeed.
        let until = self.transcript.turns_before(NEWEST);
        let until = self.half_of(until);
        let messages = self.transcript.count_before(until);
        if pruned.is_empty() && messages == 0 {
            // No old content is left: one of the newest results is too long.
            pruned = self.transcript.old_results(0, self.limits.keep_result_bytes);
        }
        if pruned.is_empty() && messages == 0 {
            return false;
        }
        if messages > 0 {
            let cut = Cut { until, note: Some(self.note(until)), ..Cut::default() };
            self.leave_out(&pruned, cut, commands);
        } else {
            self.prune(&pruned, commands);
        }
        self.report_compaction(before, pruned.len(), messages, commands);
        true
    }

    /// Removes the turns of a plan. The summary replaces them; without one, a note does.
    pub(crate) fn apply_summary(
        &mut self,
        plan: SummaryPlan,
        summary: Option<&str>,
        usage: Usage,
        commands: &mut Commands,
    ) {
        let SummaryPlan { until, before } = plan;
        let note = match summary {
            Some(summary) => words::left_out(Some(summary)),
            None => self.note(until),
        };
        let messages = self.transcript.count_before(until);
        self.leave_out(&[], Cut { until, note: Some(note), summarized: true, usage }, commands);
        let after = self.tokens();
        commands.show(Event::ContextCompacted { before, after, results: 0, messages, usage });
        self.report_pressure(commands);
    }

    /// Returns a safe cut that removes at least half of the messages that a cut at `until` would remove.
    fn half_of(&self, until: usize) -> usize {
        let half = self.transcript.count_before(until).div_ceil(2);
        let at = (0..=until).find(|at| self.transcript.count_before(*at) >= half);
        self.transcript.safe_cut(at.unwrap_or(until), until)
    }

    /// Returns the note for turns that are removed without a summary. The summary of an earlier note is kept.
    fn note(&self, until: usize) -> String {
        words::left_out_without_summary(self.transcript.note_before(until))
    }

    fn prune(&mut self, results: &[CallId], commands: &mut Commands) {
        if !results.is_empty() {
            self.leave_out(results, Cut::default(), commands);
        }
    }

    /// Removes results and turns, and records the removal.
    fn leave_out(&mut self, pruned: &[CallId], cut: Cut, commands: &mut Commands) {
        let Cut { until, note, summarized, usage } = cut;
        let (before, kept) = (self.tokens(), self.transcript.task());
        self.transcript.leave_out(pruned, until, kept, note.as_deref());
        let after = self.tokens();
        self.note_sizes(before, after);
        if until > 0 {
            // The positions of the messages change, and the provider reads the conversation again anyway.
            self.preambles.clear();
        }
        let (pruned, kept) = (pruned.to_vec(), (until > 0).then_some(kept));
        commands.record(Entry::Compacted { pruned, until, kept, note, summarized, usage, before, after });
    }

    /// Notes the tokens of the next request before and after a removal.
    pub(super) fn note_sizes(&mut self, before: u64, after: u64) {
        let first = self.compacted.map_or(before, |(first, _)| first);
        self.compacted = Some((first, after));
    }

    fn report_compaction(&self, before: u64, results: usize, messages: usize, commands: &mut Commands) {
        let (after, usage) = (self.tokens(), Usage::default());
        commands.show(Event::ContextCompacted { before, after, results, messages, usage });
    }
}
