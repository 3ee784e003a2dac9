//! Token usage as reported by a provider, and its cost. A provider that reports no tokens has still used some.

use windlass_agent::{Event, Prices};
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

    /// Formats a cost in millionths. It is unknown without prices and without reported tokens, and a lower bound if only some
    /// answers had a report of their tokens.
    pub(crate) fn describe_cost(&self, cost: u64, has_unreported: bool) -> String {
        if !self.prices.is_known() || (has_unreported && cost == 0) {
            return "cost unknown".to_owned();
        }
        let (whole, part) = (cost / 1_000_000, cost % 1_000_000);
        let currency = self.currency.map(|name| format!(" {name}")).unwrap_or_default();
        let bound = if has_unreported { "at least " } else { "" };
        format!("cost {bound}{whole}.{:04}{currency}", part.div_ceil(100).min(9_999))
    }
}

/// Returns whether an event of a run, or of an agent below it, is the end of an answer without a report of its tokens.
pub(crate) fn is_unreported(event: &Event) -> bool {
    match event {
        Event::AnswerEnded { usage, .. } => usage.is_unreported(),
        Event::AgentEvent { happened, .. } => {
            serde_json::from_value(happened.clone()).is_ok_and(|event| is_unreported(&event))
        }
        _ => false,
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
        assert_eq!(listed.describe_cost(0, false), "cost 0.0000 USD");
        assert_eq!(listed.describe_cost(2_100_000, false), "cost 2.1000 USD");
        assert_eq!(RunPrices::new(prices, None).describe_cost(1, false), "cost 0.0001");
        assert_eq!(RunPrices::default().describe_cost(1, false), "cost unknown");
    }

    // Regression test for the finding "command-line B21": with prices the cost of unreported tokens was 0.0000.
    #[test]
    fn the_cost_of_unreported_tokens_is_unknown() {
        let listed = RunPrices::new(Prices { input: 1_000_000, ..Prices::default() }, Some("USD"));
        let answer = |input_tokens| {
            let usage = Usage { input_tokens, ..Usage::default() };
            Event::AnswerEnded { stop: None, usage, total: usage, cost: 0, total_cost: 0 }
        };
        assert!(is_unreported(&answer(0)) && !is_unreported(&answer(100)));
        let call = windlass_protocol::CallId::new("call_1").unwrap();
        let happened = serde_json::to_value(answer(0)).unwrap();
        assert!(is_unreported(&Event::AgentEvent { call, agents: vec!["critic".to_owned()], happened }));
        assert_eq!(listed.describe_cost(0, true), "cost unknown");
        assert_eq!(listed.describe_cost(100, true), "cost at least 0.0001 USD");
    }
}
