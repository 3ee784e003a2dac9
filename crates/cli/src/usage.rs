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
}

impl Spending {
    /// Creates a count that starts at zero.
    pub(crate) fn new(prices: Prices, currency: Option<&'static str>) -> Self {
        Self { prices, currency, cost: 0 }
    }

    /// Adds the tokens of an answer or a summary.
    pub(crate) fn count(&mut self, event: &Event) {
        match event {
            Event::AnswerEnded { usage, .. } | Event::ContextCompacted { usage, .. } => {
                self.cost = self.cost.saturating_add(self.prices.cost(usage));
            }
            Event::AgentEvent { happened, .. } => {
                if let Ok(event) = serde_json::from_value(happened.clone()) {
                    self.count(&event);
                }
            }
            _ => {}
        }
    }

    /// Formats the cost. Unknown prices give an unknown cost.
    pub(crate) fn words(&self) -> String {
        if !self.prices.is_known() {
            return "cost unknown".to_owned();
        }
        let (whole, part) = (self.cost / 1_000_000, self.cost % 1_000_000);
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

    #[test]
    fn a_small_cost_is_rounded_up() {
        let prices = Prices { input: 1_000_000, ..Prices::default() };
        let mut spending = Spending::new(prices, None);
        let usage = Usage { input_tokens: 1, ..Usage::default() };
        spending.count(&Event::AnswerEnded { stop: None, usage, total: usage, cost: 0, total_cost: 0 });
        assert_eq!(spending.words(), "cost 0.0001");
    }
}
