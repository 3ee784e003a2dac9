//! Amounts of money as decimal texts, for serde's `with`.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};
use windlass_protocol::Prices;

/// Formats millionths as a decimal amount.
pub(super) fn format_amount(millionths: u64) -> String {
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
}

#[expect(clippy::ref_option, reason = "the signature of serde's `with`")]
pub(super) fn serialize<S: Serializer>(value: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(millionths) => serializer.serialize_str(&format_amount(*millionths)),
        None => serializer.serialize_none(),
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let amount = Prices::parse_amount(&text)
        .ok_or_else(|| D::Error::custom(format!("{text:?} is not an amount; write it like \"2.50\"")))?;
    Ok(Some(amount))
}
