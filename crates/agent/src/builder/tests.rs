//! Builders that copy the settings of another agent.

use windlass_loop::{Budget, ContextLimits};
use windlass_protocol::{Capabilities, Prices, Request, Support, ToolProtocol};
use windlass_stream::{Model, ModelError, ModelErrorKind, ModelFacts, ModelFuture};

use super::AgentBuilder;
use crate::Agent;

/// A model that states its facts and never receives a request.
struct Known(Support, u64);

impl Model for Known {
    fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
        Box::pin(async { Err(ModelError::new(ModelErrorKind::Configuration, "the model is never asked")) })
    }

    fn facts(&self, _: &str) -> Option<ModelFacts> {
        let capabilities = Capabilities { native_tools: self.0, ..Capabilities::default() };
        Some(ModelFacts::new(capabilities).with_context_tokens(Some(self.1)))
    }
}

fn first_protocol_and_window(agent: &Agent) -> (Option<ToolProtocol>, u64) {
    let config = &agent.parts().config;
    (config.protocols.first().copied(), config.context.window)
}

#[test]
fn a_copy_keeps_what_its_origin_has_set_for_the_same_model() {
    let origin = Agent::builder().model(Known(Support::Yes, 8_000), "m");
    let origin = origin.protocols([ToolProtocol::Text]).build().unwrap();
    let copy = AgentBuilder::for_copy(origin.parts(), None).build().unwrap();
    assert_eq!(first_protocol_and_window(&copy), (Some(ToolProtocol::Text), 8_000));
}

#[test]
fn a_copy_with_another_model_uses_the_facts_of_that_model() {
    let origin = Agent::builder().model(Known(Support::Yes, 8_000), "m").build().unwrap();
    assert_eq!(first_protocol_and_window(&origin), (Some(ToolProtocol::Native), 8_000));
    let copy = AgentBuilder::for_copy(origin.parts(), None).model(Known(Support::No, 500), "n");
    assert_eq!(first_protocol_and_window(&copy.build().unwrap()), (Some(ToolProtocol::Structured), 500));
}

#[test]
fn settings_of_a_copy_hold_before_and_after_its_model_is_set() {
    let origin = Agent::builder().model(Known(Support::Yes, 8_000), "m").build().unwrap();
    let limits = ContextLimits { window: 900, ..ContextLimits::default() };
    let set = |builder: AgentBuilder| builder.context(limits).protocols([ToolProtocol::Text]);
    let copy = || AgentBuilder::for_copy(origin.parts(), None);
    for builder in
        [set(copy()).model(Known(Support::No, 500), "n"), set(copy().model(Known(Support::No, 500), "n"))]
    {
        assert_eq!(first_protocol_and_window(&builder.build().unwrap()), (Some(ToolProtocol::Text), 900));
    }
}

/// A model whose tokens have this price.
struct Priced(u64);

impl Model for Priced {
    fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
        Box::pin(async { Err(ModelError::new(ModelErrorKind::Configuration, "the model is never asked")) })
    }

    fn facts(&self, _: &str) -> Option<ModelFacts> {
        let prices = Prices { input: self.0, ..Prices::default() };
        Some(ModelFacts::new(Capabilities::default()).with_prices(Some(prices)))
    }
}

#[test]
fn prices_come_from_the_budget_or_from_the_model() {
    let price = |agent: &Agent| agent.parts().config.budget.prices.input;
    let budget =
        |input| Budget { requests: 5, prices: Prices { input, ..Prices::default() }, ..Budget::default() };
    let origin = Agent::builder().model(Priced(7), "m").build().unwrap();
    assert_eq!(price(&origin), 7);
    assert_eq!(price(&Agent::builder().model(Priced(7), "m").budget(budget(3)).build().unwrap()), 3);
    let limited = Agent::builder().model(Priced(7), "m").budget(budget(0)).build().unwrap();
    assert_eq!((price(&limited), limited.parts().config.budget.requests), (7, 5));
    let copy = || AgentBuilder::for_copy(origin.parts(), None);
    assert_eq!(price(&copy().build().unwrap()), 7);
    assert_eq!(price(&copy().model(Priced(9), "n").build().unwrap()), 9);
    assert_eq!(price(&copy().model(Known(Support::Yes, 1), "n").build().unwrap()), 0);
}
