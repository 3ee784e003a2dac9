//! How full the model's window is, and what is left out before it overflows (RULES R4).

mod compaction;
mod condensing;
mod images;
mod size;

use serde::{Deserialize, Serialize};

use crate::Event;
use crate::machine::Machine;

pub(crate) use self::condensing::Condensing;
pub(crate) use self::size::{Meter, message_size, tools_size};

/// What is done about the turns that have to go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "they are summed up, or not")]
pub enum Condense {
    /// The model sums them up first, in a request of its own.
    #[default]
    SumUp,
    /// They are left out, and the model is told so.
    LeaveOut,
}

/// When a conversation is made shorter, and how far. Percentages are of the window.
///
/// The first task, the newest answers and every pair of call and result stay; until it is needed nothing is touched, so
/// that the provider's cache of the prefix holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..ContextLimits::default()`")]
pub struct ContextLimits {
    /// The model's window, in tokens. 0 is not known: then only a provider that refuses makes it shorter, and what it
    /// refused is taken for the window from then on.
    pub window: u64,
    /// From here on watchers are told.
    pub warn_percent: u8,
    /// From here on they are told again, more urgently.
    pub alert_percent: u8,
    /// From here on the conversation is made shorter before the model is asked.
    pub compact_percent: u8,
    /// How short it is made, if that can be.
    pub target_percent: u8,
    /// How many of the newest answers stay as they are, with their results.
    pub keep_answers: usize,
    /// Older results are left out from this length on, in bytes; shorter ones stay.
    pub keep_result_bytes: usize,
    /// How many images of results the conversation may have; those of older results are left out, whatever room there is.
    /// 0 is any number. Providers take from 20 on, with smaller ones the more there are.
    pub most_images: usize,
    /// What is done about turns that have to go.
    pub condense: Condense,
}

impl Default for ContextLimits {
    fn default() -> Self {
        Self {
            window: 0,
            warn_percent: 70,
            alert_percent: 85,
            compact_percent: 90,
            target_percent: 50,
            keep_answers: 3,
            keep_result_bytes: 1_024,
            most_images: 20,
            condense: Condense::default(),
        }
    }
}

/// How full the model's window is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fill {
    /// There is room.
    #[default]
    Fine,
    /// Some of the room is left.
    Warn,
    /// Little of it is left.
    Alert,
}

impl ContextLimits {
    /// So many percent of the window, in tokens.
    fn part(&self, percent: u8) -> u64 {
        self.window.saturating_mul(u64::from(percent)) / 100
    }

    fn fill(&self, used: u64) -> Fill {
        if used >= self.part(self.alert_percent) {
            Fill::Alert
        } else if used >= self.part(self.warn_percent) {
            Fill::Warn
        } else {
            Fill::Fine
        }
    }
}

impl Machine {
    /// How many tokens the next request takes: counted by the provider as far as it has answered, estimated for what is
    /// new since.
    pub fn context_tokens(&self) -> u64 {
        self.meter.tokens(self.transcript.size())
    }

    /// Tells watchers when the window has become fuller, or has room again.
    pub(crate) fn tell_fill(&mut self) {
        let limits = self.config.context;
        if limits.window == 0 {
            return;
        }
        let used = self.context_tokens();
        let fill = limits.fill(used);
        if std::mem::replace(&mut self.meter.told, fill) != fill {
            let is_estimate = !self.config.tokenizer.is_exact();
            self.show(Event::ContextFilling { used, window: limits.window, fill, is_estimate });
        }
    }

    /// Makes the conversation shorter if it has to be. True if the model is asked to sum up first.
    pub(crate) fn make_room(&mut self) -> bool {
        let limits = self.config.context;
        if limits.most_images > 0 {
            self.leave_out_images(limits.most_images);
        }
        self.tell_fill();
        let is_full = limits.window > 0 && self.context_tokens() >= limits.part(limits.compact_percent);
        is_full && self.compact()
    }
}
