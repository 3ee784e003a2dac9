//! The cost of answers, and its comparison with the budgets.

use windlass_protocol::{LongPrices, Prices, Usage};

use super::Ledger;
use crate::{Budget, Config};

fn input(input_tokens: u64) -> Usage {
    Usage { input_tokens, ..Usage::default() }
}

#[test]
fn the_prices_of_long_requests_depend_on_one_request_and_not_on_the_sum() {
    let long = LongPrices { above: 150, input: 9_000_000, output: 0, cache_read: 0, cache_write: 0 };
    let prices = Prices { input: 1_000_000, long: Some(long), ..Prices::default() };
    let config =
        Config::new("m", Vec::new()).with_budget(Budget { cost: 1_700, prices, ..Budget::default() });
    let mut ledger = Ledger::default();
    ledger.count_usage(&input(100), &prices);
    ledger.count_usage(&input(100), &prices);
    assert_eq!(ledger.used().cost, 200);
    assert_eq!(ledger.budget_question(&config, 0), None);
    ledger.count_usage(&input(200), &prices);
    assert_eq!(ledger.used().cost, 2_000);
    assert!(ledger.budget_question(&config, 0).is_some());
}

#[test]
fn a_run_without_prices_is_charged_at_those_of_the_shared_budget() {
    let prices = Prices { input: 1_000_000, ..Prices::default() };
    let shared = Budget { cost: 50, prices, ..Budget::default() };
    let config = Config::new("m", Vec::new()).with_shared_budget(shared);
    let mut ledger = Ledger::default();
    ledger.count_usage(&input(40), &Prices::default());
    assert_eq!(ledger.budget_question(&config, 0), None);
    ledger.count_usage(&input(40), &Prices::default());
    assert!(ledger.budget_question(&config, 0).is_some());
}
