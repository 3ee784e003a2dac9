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

#[test]
fn a_text_has_each_of_its_sources_once() {
    let page = json!({"source": {"url": "https://a.example"}, "title": "A", "range": {"start": 0, "end": 3}});
    let again =
        json!({"source": {"url": "https://a.example"}, "title": "A", "range": {"start": 4, "end": 7}});
    let text = json!({"type": "text", "text": "Yes, both.",
        "citations": [page, again, {"source": {"document": "file-1"}}]});
    let message = json!({"role": "assistant", "parts": [text]});
    let entry = json!({"entry": "answered", "message": message, "refused": [], "stop": null, "usage": {}});
    let events = RecordReader::default().read(&serde_json::from_value(entry).unwrap());
    let text = serde_json::to_value(&events[0]).unwrap();
    let sources = json!([{"source": "https://a.example", "title": "A"}, {"source": "file-1"}]);
    assert_eq!(text, json!({"kind": "text", "turn": 1, "text": "Yes, both.", "sources": sources}));
}
