//! The limits of compaction, and the fill levels of the model's window (RULES R4).

use serde::{Deserialize, Serialize};

/// The treatment of turns that have to be removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "they are summed up, or not")]
pub enum CompactionMode {
    /// The model summarizes the turns in a separate request before they are removed.
    #[default]
    SumUp,
    /// The turns are removed, and a note informs the model.
    LeaveOut,
}

/// The thresholds and the extent of compaction. Percentages refer to the window.
///
/// The first task, the newest answers and every pair of call and result stay. Until a limit is reached the
/// conversation does not change, so that the provider's prefix cache stays valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..ContextLimits::default()`")]
pub struct ContextLimits {
    /// Size of the model's window in tokens; 0 if unknown. An unknown window is set to the size of the first
    /// request that the provider refuses for its length, and until then compaction does not start by itself.
    pub window: u64,
    /// Fill level from which [`ContextPressure::Warn`] is reported.
    pub warn_percent: u8,
    /// Fill level from which [`ContextPressure::Alert`] is reported.
    pub alert_percent: u8,
    /// Fill level from which the conversation is compacted before the next request.
    pub compact_percent: u8,
    /// Fill level that compaction aims at.
    pub target_percent: u8,
    /// Number of the newest answers that stay unchanged, with their results.
    pub keep_answers: usize,
    /// Largest length in bytes of an older result that stays; longer results are removed.
    pub keep_result_bytes: usize,
    /// Largest number of images in results; images of older results are removed above it, independent of the
    /// window. 0 turns the limit off. Providers accept at least 20 images, but only smaller ones as the
    /// number grows.
    pub most_images: usize,
    /// The treatment of turns that have to be removed.
    pub condense: CompactionMode,
    /// True if the conversation is compacted before the first request, regardless of its size. Only the newest answer
    /// stays unchanged then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub compact_first: bool,
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
            condense: CompactionMode::default(),
            compact_first: false,
        }
    }
}

/// The fill level of the model's window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextPressure {
    /// Below both thresholds.
    #[default]
    Fine,
    /// At or above `warn_percent`.
    Warn,
    /// At or above `alert_percent`.
    Alert,
}

impl ContextLimits {
    /// Returns this percentage of the window in tokens.
    pub(crate) fn part(&self, percent: u8) -> u64 {
        self.window.saturating_mul(u64::from(percent)) / 100
    }

    /// Returns the fill level at this number of tokens.
    pub(crate) fn pressure(&self, used: u64) -> ContextPressure {
        if used >= self.part(self.alert_percent) {
            ContextPressure::Alert
        } else if used >= self.part(self.warn_percent) {
            ContextPressure::Warn
        } else {
            ContextPressure::Fine
        }
    }
}
