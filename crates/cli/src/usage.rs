//! Token usage as reported by a provider, and its cost. A provider that reports no tokens has still used some.

use windlass_agent::Prices;
use windlass_app::feed::Tokens;
use windlass_protocol::Usage;

/// The prices of a run's model, and their currency.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RunPrices {
    prices: Prices,
    /// The currency of the prices, if it is known.
    currency: Option<&'static str>,
}

impl RunPrices {
    pub(crate) fn new(prices: Prices, currency: Option<&'static str>) -> Self {
        Self { prices, currency }
    }

    /// Formats a cost in millionths. Unknown prices give an unknown cost.
    pub(crate) fn describe_cost(&self, cost: u64) -> String {
        if !self.prices.is_known() {
            return "cost unknown".to_owned();
        }
        let (whole, part) = (cost / 1_000_000, cost % 1_000_000);
        let currency = self.currency.map(|name| format!(" {name}")).unwrap_or_default();
        format!("cost {whole}.{:04}{currency}", part.div_ceil(100).min(9_999))
    }
}

/// Returns the reported usage, or `None` if all numbers are zero. The protocol uses zero for unreported
/// numbers, and no answer uses zero tokens.
pub(crate) fn filter_reported(usage: Usage) -> Option<Usage> {
    (usage != Usage::default()).then_some(usage)
}

/// Formats the tokens of a run.
pub(crate) fn words(usage: Usage) -> String {
    Tokens::with_cost(&usage, 0).describe()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_has_the_currency_of_its_prices_and_a_small_one_is_rounded_up() {
        let prices = Prices { input: 3_000_000, output: 15_000_000, ..Prices::default() };
        let listed = RunPrices::new(prices, Some("USD"));
        assert_eq!(listed.describe_cost(0), "cost 0.0000 USD");
        assert_eq!(listed.describe_cost(2_100_000), "cost 2.1000 USD");
        assert_eq!(RunPrices::new(prices, None).describe_cost(1), "cost 0.0001");
        assert_eq!(RunPrices::default().describe_cost(1), "cost unknown");
    }
}
