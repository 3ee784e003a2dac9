//! Units of the ranges of citations.

use serde::{Deserialize, Serialize};

/// The unit in which the range of a citation counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the units of the providers")]
pub enum RangeUnit {
    /// Bytes of UTF-8.
    #[default]
    Bytes,
    /// Unicode scalar values.
    Chars,
}
