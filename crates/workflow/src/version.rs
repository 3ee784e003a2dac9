//! The version of the record format.

/// The version of the format that this program writes. It reads this one and all earlier ones.
pub(crate) const RECORD_VERSION: u32 = 1;
