//! The table of prices.

use std::time::Duration;

use super::{Amount, LISTS, PriceRow, StoragePrice, find_price};
use crate::Vendors;
use crate::pattern::fits;

fn rows() -> impl Iterator<Item = (&'static str, &'static PriceRow)> {
    LISTS.iter().flat_map(|(name, list)| list.rows.iter().map(move |row| (name.as_str(), row)))
}

#[test]
fn each_row_has_prices_in_order_and_a_window() {
    for (list, row) in rows() {
        let place = format!("{list}: {}", row.models);
        assert!(row.input.0 > 0 && row.output.0 >= row.input.0, "{place}");
        let read = row.cache_read.unwrap_or(row.input);
        assert!(read.0 <= row.input.0, "{place}");
        assert!(row.cache_write.is_none_or(|Amount(write)| write >= row.input.0), "{place}");
        assert!(row.context >= 100_000, "{place}");
        if let Some(long) = &row.long {
            assert!(long.above < row.context && long.input.0 > row.input.0, "{place}");
            assert_eq!(long.cache_read.is_some(), row.cache_read.is_some(), "{place}");
            assert_eq!(long.cache_write.is_some(), row.cache_write.is_some(), "{place}");
        }
    }
}

#[test]
fn no_row_is_hidden_by_an_earlier_one() {
    for list in LISTS.values() {
        for (at, row) in list.rows.iter().enumerate() {
            let name = row.models.replace('*', "");
            let hidden = list.rows.iter().take(at).find(|earlier| fits(&earlier.models, &name));
            assert!(hidden.is_none(), "{} is hidden by {}", row.models, hidden.map_or("", |row| &row.models));
        }
    }
}

#[test]
fn each_list_is_dated_has_a_source_and_a_vendor() {
    let vendors = Vendors::builtin();
    for (name, list) in LISTS.iter() {
        let parts: Vec<&str> = list.as_of.split('-').collect();
        assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [4, 2, 2], "{name}");
        assert!(list.source.starts_with("https://"), "{name}");
        let used = vendors.iter().any(|vendor| vendor.endpoint.price_list.as_deref() == Some(name));
        assert!(used, "{name}");
    }
}

#[test]
fn prices_of_long_requests_apply_above_their_bound_only() {
    let prices = find_price("gemini", "gemini-2.5-pro").unwrap().prices;
    let cost = |input_tokens| {
        prices.cost(&windlass_protocol::Usage { input_tokens, ..windlass_protocol::Usage::default() })
    };
    assert_eq!(cost(200_000), 250_000);
    assert_eq!(cost(200_001), 500_003);
}

#[test]
fn storage_has_a_price_only_where_one_was_read() {
    for (list, row) in rows() {
        let place = format!("{list}: {}", row.models);
        assert!(row.storage.is_none() || list == "gemini", "only Gemini stores caches: {place}");
        // A misplaced point would be noticed.
        assert!(row.storage.is_none_or(|Amount(hour)| hour > 0 && hour <= 10 * row.input.0), "{place}");
    }
    let storage = |model: &str| find_price("gemini", model).unwrap().storage;
    let pro = storage("gemini-2.5-pro").unwrap();
    assert_eq!((pro.million_token_hours, pro.as_of), (4_500_000, Some("2026-09-23")));
    assert_eq!(storage("gemini-3.6-flash"), None);
    assert_eq!(find_price("openai", "gpt-5.1").unwrap().storage, None);
}

#[test]
fn the_cost_of_storage_is_rounded_up_and_does_not_overflow() {
    let price = StoragePrice { million_token_hours: 4_500_000, as_of: None };
    assert_eq!(price.cost(1_000_000, Duration::from_hours(1)), 4_500_000);
    assert_eq!(price.cost(1, Duration::from_millis(1)), 1);
    assert_eq!(price.cost(0, Duration::from_hours(1)), 0);
    assert_eq!(price.cost(u64::MAX, Duration::MAX), u64::MAX);
}
