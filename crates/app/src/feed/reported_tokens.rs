//! Tokens as JSON: a number that no provider reported is absent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::card::Tokens;

/// The JSON form of [`Tokens`]. Records of earlier versions have zeros for unreported numbers, and are read alike.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct ReportedTokens {
    /// All input tokens, including cached tokens. Absent if no provider reported them.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<u64>,
    /// All output tokens, including reasoning tokens. Absent if no provider reported tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<u64>,
    /// Input tokens that the provider read from its cache. Absent if no provider reported tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_read: Option<u64>,
    /// Input tokens that the provider wrote to its cache. Absent if no provider reported tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_write: Option<u64>,
    /// Output tokens that were used for reasoning. Absent if no provider reported tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<u64>,
    /// The cost in millionths of the currency of the run's prices. Absent if it is unknown: without prices, or without
    /// reported tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<u64>,
}

impl From<Tokens> for ReportedTokens {
    fn from(tokens: Tokens) -> Self {
        let reported = |count: u64| tokens.are_reported().then_some(count);
        Self {
            // A request is never empty, so zero input tokens are unreported ones.
            input: Some(tokens.input).filter(|input| *input > 0),
            output: reported(tokens.output),
            cache_read: reported(tokens.cache_read),
            cache_write: reported(tokens.cache_write),
            reasoning: reported(tokens.reasoning),
            cost: Some(tokens.cost).filter(|cost| *cost > 0),
        }
    }
}

impl From<ReportedTokens> for Tokens {
    fn from(reported: ReportedTokens) -> Self {
        Self {
            input: reported.input.unwrap_or_default(),
            output: reported.output.unwrap_or_default(),
            cache_read: reported.cache_read.unwrap_or_default(),
            cache_write: reported.cache_write.unwrap_or_default(),
            reasoning: reported.reasoning.unwrap_or_default(),
            cost: reported.cost.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Tokens;

    // Regression test for the finding "command-line B21": the JSON of a run had zeros that no provider had reported.
    #[test]
    fn numbers_that_no_provider_reported_are_absent() {
        let to_json = |tokens: Tokens| serde_json::to_value(tokens).unwrap();
        assert_eq!(to_json(Tokens::default()), json!({}));
        let tokens = Tokens { input: 12, ..Tokens::default() };
        let counted = json!({"input": 12, "output": 0, "cache_read": 0, "cache_write": 0, "reasoning": 0});
        assert_eq!(to_json(tokens), counted);
        let tokens = Tokens { output: 3, cost: 40, ..Tokens::default() };
        let counted = json!({"output": 3, "cache_read": 0, "cache_write": 0, "reasoning": 0, "cost": 40});
        assert_eq!(to_json(tokens), counted);
    }

    #[test]
    fn records_with_zeros_and_with_null_are_read() {
        let read = |value: Value| serde_json::from_value::<Tokens>(value).unwrap();
        let zeros =
            json!({"input": 0, "output": 0, "cache_read": 0, "cache_write": 0, "reasoning": 0, "cost": 0});
        assert_eq!(read(zeros), Tokens::default());
        assert_eq!(read(json!({"input": null, "cost": null})), Tokens::default());
        let tokens = Tokens { input: 9, output: 2, cache_read: 4, cache_write: 1, reasoning: 1, cost: 7 };
        assert_eq!(read(serde_json::to_value(tokens).unwrap()), tokens);
    }
}
