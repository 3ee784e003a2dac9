//! The limits of a store.

use std::time::Duration;

use super::store::StateError;

/// The limits of a store. A value that would exceed one of them displaces the values that were not used for
/// the longest time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..StateLimits::default()`")]
pub struct StateLimits {
    /// Maximum values of one owner. Default: 10,000.
    pub owner_values: usize,
    /// Maximum bytes of one owner's values, with their ids. Default: 64 MiB.
    pub owner_bytes: usize,
    /// Maximum bytes of all values, with their ids. Default: 256 MiB.
    pub bytes: usize,
    /// The time after the last use when a value expires. Default: 24 hours.
    pub idle: Duration,
}

impl Default for StateLimits {
    fn default() -> Self {
        Self { owner_values: 10_000, owner_bytes: 64 << 20, bytes: 256 << 20, idle: Duration::from_hours(24) }
    }
}

/// Bytes that a value occupies beside its text, its id and its owner's name.
const OVERHEAD: usize = 256;

impl StateLimits {
    /// Returns the bytes that a value counts.
    ///
    /// # Errors
    /// The value alone exceeds a limit.
    pub(super) fn size(&self, owner: &str, id: &str, value: &[u8]) -> Result<usize, StateError> {
        let names = owner.len().saturating_add(id.len()).saturating_mul(2);
        let size = value.len().saturating_add(names).saturating_add(OVERHEAD);
        let limit = self.owner_bytes.min(self.bytes);
        if size > limit { Err(StateError::TooLarge { bytes: size, limit }) } else { Ok(size) }
    }
}
