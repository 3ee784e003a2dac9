//! The rates and budgets of a client.

use serde::{Deserialize, Serialize};

/// The rates and budgets of one client. A missing value has no limit.
///
/// A minute is any period of 60 seconds. Days and months are those of UTC. A request counts in the day and the month
/// in which it begins.
///
/// ```
/// use windlass_gateway::ClientLimits;
/// let limits: ClientLimits = serde_json::from_str(r#"{"requests_per_minute": 60, "cost_per_month": "20.00"}"#)?;
/// assert_eq!(limits.cost_per_month, Some(20_000_000));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..ClientLimits::default()`")]
pub struct ClientLimits {
    /// Requests in a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u64>,
    /// Input and output tokens in a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<u64>,
    /// Input and output tokens in a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_day: Option<u64>,
    /// Input and output tokens in a month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_month: Option<u64>,
    /// Money in a day, in millionths of the currency of the prices. Written as a decimal text such as `"2.50"`.
    #[serde(with = "super::amounts", skip_serializing_if = "Option::is_none")]
    pub cost_per_day: Option<u64>,
    /// Money in a month, in millionths of the currency of the prices. Written as a decimal text.
    #[serde(with = "super::amounts", skip_serializing_if = "Option::is_none")]
    pub cost_per_month: Option<u64>,
}

impl ClientLimits {
    /// Returns true without any limit.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true with a limit for a day or a month, whose use must outlive a process.
    pub fn has_budget(&self) -> bool {
        self.has_money() || self.tokens_per_day.is_some() || self.tokens_per_month.is_some()
    }

    /// Returns true with a budget in money, which needs known prices.
    pub(super) fn has_money(&self) -> bool {
        self.cost_per_day.is_some() || self.cost_per_month.is_some()
    }
}
