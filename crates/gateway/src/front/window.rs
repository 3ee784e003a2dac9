//! An amount in the last 60 seconds.

use std::time::Duration;

/// Slots of one second. One more than a minute has: a period of 60 seconds touches up to 61 seconds of a clock, so the
/// sum never exceeds a limit in any period of 60 seconds.
const SLOTS: u64 = 61;
const SLOT_COUNT: usize = 61;

/// The amounts of the last 61 seconds.
#[derive(Clone, Debug)]
pub(super) struct MinuteWindow {
    slots: [u64; SLOT_COUNT],
    /// The newest second.
    last: u64,
}

impl Default for MinuteWindow {
    fn default() -> Self {
        Self { slots: [0; SLOT_COUNT], last: 0 }
    }
}

impl MinuteWindow {
    /// Removes the amounts that are too old at this second. An earlier second than the newest changes nothing.
    pub(super) fn advance(&mut self, second: u64) {
        let first = self.last.saturating_add(1).max(second.saturating_sub(SLOTS));
        for old in first..=second {
            if let Some(slot) = self.slot(old) {
                *slot = 0;
            }
        }
        self.last = self.last.max(second);
    }

    /// Returns the newest second.
    pub(super) fn newest(&self) -> u64 {
        self.last
    }

    /// Returns the amount of the last minute.
    pub(super) fn sum(&self) -> u64 {
        self.slots.iter().fold(0, |sum, slot| sum.saturating_add(*slot))
    }

    /// Adds an amount at the newest second.
    pub(super) fn add(&mut self, amount: u64) {
        if let Some(slot) = self.slot(self.last) {
            *slot = slot.saturating_add(amount);
        }
    }

    /// Replaces an amount of a second by another. A second that is too old has no amount any more.
    pub(super) fn correct(&mut self, second: u64, from: u64, to: u64) {
        if second.saturating_add(SLOTS) > self.last
            && let Some(slot) = self.slot(second)
        {
            *slot = slot.saturating_sub(from).saturating_add(to);
        }
    }

    /// Returns the wait until an amount fits below a limit.
    pub(super) fn wait(&self, limit: u64, amount: u64) -> Duration {
        let mut sum = self.sum();
        let mut wait = 0;
        // The oldest slot is the one that the next second replaces.
        for second in self.last.saturating_add(1)..=self.last.saturating_add(SLOTS) {
            if sum.saturating_add(amount) <= limit {
                break;
            }
            let place = usize::try_from(second % SLOTS).unwrap_or_default();
            sum = sum.saturating_sub(self.slots.get(place).copied().unwrap_or_default());
            wait = second.saturating_sub(self.last);
        }
        Duration::from_secs(wait)
    }

    fn slot(&mut self, second: u64) -> Option<&mut u64> {
        self.slots.get_mut(usize::try_from(second % SLOTS).unwrap_or_default())
    }
}
