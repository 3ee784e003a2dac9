//! The costs of stored caches.

use std::sync::Arc;
use std::time::Duration;

use windlass_protocol::Request;
use windlass_vendors::Vendors;

use super::StorageSum;
use crate::{Client, StoredCache};

const HOUR: Duration = Duration::from_hours(1);

fn gemini() -> Client {
    let vendor = Vendors::builtin().get("gemini").unwrap().clone();
    Client::vendor(vendor).key(Some("a key".into())).build().unwrap()
}

fn cache(model: &str, tokens: Option<u64>) -> StoredCache {
    let prefix = Arc::new(Request::new(model, Vec::new()));
    StoredCache { name: "cachedContents/c".to_owned(), tokens, expires_at: None, prefix }
}

fn describe(caches: &[(&str, Option<u64>, Duration)]) -> (Option<u64>, String) {
    let (client, mut sum) = (gemini(), StorageSum::default());
    for (model, tokens, time) in caches {
        sum.add(&client, &cache(model, *tokens), *time);
    }
    let used = sum.to_use();
    (used.cost, used.to_string())
}

#[test]
fn caches_of_models_with_a_price_are_added() {
    assert_eq!(describe(&[]), (Some(0), "0 caches, 0 token hours, 0".to_owned()));
    let one = ("gemini-2.5-pro", Some(5_000), 2 * HOUR);
    assert_eq!(
        describe(&[one]),
        (Some(45_000), "1 cache, 10000 token hours, 0.045 (prices of 2026-09-23)".to_owned())
    );
    let other = ("gemini-2.5-flash", Some(1_000_000), HOUR / 2);
    assert_eq!(
        describe(&[one, other]),
        (Some(545_000), "2 caches, 510000 token hours, 0.545 (prices of 2026-09-23)".to_owned())
    );
}

#[test]
fn a_sum_with_an_unknown_part_is_unknown() {
    let known = ("gemini-2.5-pro", Some(5_000), HOUR);
    let (cost, words) = describe(&[known, ("gemini-3.6-flash", Some(1), HOUR)]);
    assert_eq!((cost, words.as_str()), (None, "2 caches, 5001 token hours, at an unknown price"));
    let (cost, words) = describe(&[("gemini-2.5-pro", None, HOUR), known]);
    assert_eq!((cost, words.as_str()), (None, "2 caches, an unknown number of tokens, at an unknown price"));
}
