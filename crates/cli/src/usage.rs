//! Token usage as reported by a provider, and its cost. A provider that reports no tokens has still used some.

use windlass_agent::{Event, Prices};
use windlass_app::feed::Tokens;
use windlass_protocol::Usage;

/// The cost of a run and of the agents below it, at the prices of the run's model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spending {
    prices: Prices,
    /// The currency of the prices, if it is known.
    currency: Option<&'static str>,
    /// The cost so far, in millionths.
    cost: u64,
    /// True if an answer had no report of its tokens, so its cost is unknown.
    has_unreported: bool,
}

impl Spending {
    /// Creates a count that starts at zero.
    pub(crate) fn new(prices: Prices, currency: Option<&'static str>) -> Self {
        Self { prices, currency, ..Self::default() }
    }

    /// Adds the tokens of an answer or a summary.
    pub(crate) fn count(&mut self, event: &Event) {
        match event {
            Event::AnswerEnded { usage, .. } | Event::ContextCompacted { usage, .. } => {
                self.cost = self.cost.saturating_add(self.prices.cost(usage));
                // A compaction without a summary sends no request.
                self.has_unreported |= usage.is_unreported() && matches!(event, Event::AnswerEnded { .. });
            }
            Event::AgentEvent { happened, .. } => {
                if let Ok(event) = serde_json::from_value(happened.clone()) {
                    self.count(&event);
                }
            }
            _ => {}
        }
    }

    /// Formats the cost. It is unknown without prices and without reported tokens, and a lower bound if only some
    /// answers had a report.
    pub(crate) fn words(&self) -> String {
        if !self.prices.is_known() || (self.has_unreported && self.cost == 0) {
            return "cost unknown".to_owned();
        }
        let (whole, part) = (self.cost / 1_000_000, self.cost % 1_000_000);
        let currency = self.currency.map(|name| format!(" {name}")).unwrap_or_default();
        let bound = if self.has_unreported { "at least " } else { "" };
        format!("cost {bound}{whole}.{:04}{currency}", part.div_ceil(100).min(9_999))
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
    fn costs_add_up_over_answers_and_agents() {
        let prices = Prices { input: 3_000_000, output: 15_000_000, ..Prices::default() };
        let mut spending = Spending::new(prices, Some("USD"));
        assert_eq!(spending.words(), "cost 0.0000 USD");
        let usage = Usage { input_tokens: 100_000, output_tokens: 50_000, ..Usage::default() };
        let answer = Event::AnswerEnded { stop: None, usage, total: usage, cost: 0, total_cost: 0 };
        spending.count(&answer);
        assert_eq!(spending.words(), "cost 1.0500 USD");
        let happened = serde_json::to_value(&answer).unwrap();
        let call = windlass_protocol::CallId::new("call_1").unwrap();
        spending.count(&Event::AgentEvent { call, agents: vec!["critic".to_owned()], happened });
        assert_eq!(spending.words(), "cost 2.1000 USD");
        assert_eq!(Spending::default().words(), "cost unknown");
    }

    // Regression test for the finding "command-line B21": with prices the cost of unreported tokens was 0.0000.
    #[test]
    fn the_cost_of_unreported_tokens_is_unknown() {
        let prices = Prices { input: 1_000_000, ..Prices::default() };
        let mut spending = Spending::new(prices, Some("USD"));
        let answer = |input_tokens| {
            let usage = Usage { input_tokens, ..Usage::default() };
            Event::AnswerEnded { stop: None, usage, total: usage, cost: 0, total_cost: 0 }
        };
        spending.count(&answer(0));
        assert_eq!(spending.words(), "cost unknown");
        spending.count(&answer(100));
        assert_eq!(spending.words(), "cost at least 0.0001 USD");
    }

    #[test]
    fn a_small_cost_is_rounded_up() {
        let prices = Prices { input: 1_000_000, ..Prices::default() };
        let mut spending = Spending::new(prices, None);
        let usage = Usage { input_tokens: 1, ..Usage::default() };
        spending.count(&Event::AnswerEnded { stop: None, usage, total: usage, cost: 0, total_cost: 0 });
        assert_eq!(spending.words(), "cost 0.0001");
    }
}
