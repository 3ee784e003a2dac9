//! The table of prices.

use super::{Amount, LISTS, PriceRow, find_price};
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
