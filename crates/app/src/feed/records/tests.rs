//! The events of records.

use serde_json::json;
use windlass_agent::{Entry, Prices};

use super::RecordReader;
use crate::feed::kind::FeedKind;

// Regression test: the answer of a fallback model had the cost of the run's model.
#[test]
fn an_answer_costs_the_prices_of_the_model_that_gave_it() {
    let prices = |input: u64| Prices { input, ..Prices::default() };
    let answer = |prices: Option<Prices>| -> Entry {
        let message = json!({"role": "assistant", "parts": [{"type": "text", "text": "hello"}]});
        let mut entry =
            json!({"message": message, "refused": [], "stop": null, "usage": {"input_tokens": 1_000_000}});
        if let Some(prices) = prices {
            entry["prices"] = json!(prices);
        }
        entry["entry"] = json!("answered");
        serde_json::from_value(entry).unwrap()
    };
    let mut reader = RecordReader::new(prices(3_000_000), None);
    let mut costs = |entry: &Entry| match reader.read(entry).last() {
        Some(FeedKind::TurnEnded { usage, total, .. }) => (usage.cost, total.cost),
        other => panic!("{other:?}"),
    };
    let own = costs(&answer(None));
    assert_eq!(own.0, own.1);
    let fallback = costs(&answer(Some(prices(1_000_000))));
    assert_eq!((fallback.0 * 3, fallback.1), (own.0, own.1 + fallback.0));
    assert!(fallback.0 > 0);
}
