//! Prices and context windows of models: a dated file of this crate, with prices of the user's files on top.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use windlass_protocol::{LongPrices, Prices};

use crate::pattern::fits;

static LISTS: LazyLock<BTreeMap<String, PriceList>> = LazyLock::new(|| {
    toml::from_str(include_str!("prices.toml"))
        .expect("a test holds that the prices of this crate can be read")
});

/// The prices of a model, and their origin.
///
/// ```
/// use windlass_vendors::Vendors;
/// let vendors = Vendors::builtin();
/// let openai = vendors.get("openai").ok_or("not found")?;
/// let price = openai.price("gpt-5.1").ok_or("unknown")?;
/// assert_eq!((price.prices.input, price.prices.output), (1_250_000, 10_000_000));
/// assert!(openai.price("gpt-0").is_none());
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelPrice {
    /// The prices of a million tokens, in millionths of a US dollar, or of the user's currency.
    pub prices: Prices,
    /// The day on which the prices of the table were read, `YYYY-MM-DD`; `None` if they are the user's.
    pub as_of: Option<&'static str>,
    /// The page from which the prices of the table were read; `None` if they are the user's.
    pub source: Option<&'static str>,
    /// The price of a cache that the provider stores; `None` if it is unknown.
    pub storage: Option<StoragePrice>,
}

/// The price of a cache that the provider stores.
///
/// ```
/// use std::time::Duration;
/// use windlass_vendors::Vendors;
/// let gemini = Vendors::builtin();
/// let gemini = gemini.get("gemini").ok_or("not found")?;
/// let storage = gemini.price("gemini-2.5-flash").and_then(|price| price.storage).ok_or("unknown")?;
/// assert_eq!(storage.million_token_hours, 1_000_000);
/// assert_eq!(storage.cost(5_000, Duration::from_secs(7_200)), 10_000);
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoragePrice {
    /// A million tokens for an hour, in the unit of the other prices.
    pub million_token_hours: u64,
    /// The day of the price, `YYYY-MM-DD`; `None` if it is the user's.
    pub as_of: Option<&'static str>,
}

impl StoragePrice {
    /// Returns the cost of storing this many tokens for a time, in millionths of the currency, rounded up.
    pub fn cost(&self, tokens: u64, time: Duration) -> u64 {
        let parts = [u128::from(tokens), u128::from(self.million_token_hours), time.as_millis()];
        let product = parts.into_iter().fold(1_u128, u128::saturating_mul);
        u64::try_from(product.div_ceil(MILLION_TOKEN_HOURS)).unwrap_or(u64::MAX)
    }
}

/// A million tokens for an hour, in tokens and milliseconds.
const MILLION_TOKEN_HOURS: u128 = 1_000_000 * 3_600_000;

/// The prices of one provider.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PriceList {
    as_of: String,
    source: String,
    storage_as_of: Option<String>,
    rows: Vec<PriceRow>,
}

/// The prices and the context window of the models that match a pattern.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PriceRow {
    models: String,
    input: Amount,
    output: Amount,
    cache_read: Option<Amount>,
    cache_write: Option<Amount>,
    storage: Option<Amount>,
    long: Option<LongRow>,
    context: u64,
}

/// The prices of long requests.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LongRow {
    above: u64,
    input: Amount,
    output: Amount,
    cache_read: Option<Amount>,
    cache_write: Option<Amount>,
}

/// The prices of a model in a user's file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct OwnPrice {
    input: Amount,
    output: Amount,
    cache_read: Option<Amount>,
    cache_write: Option<Amount>,
    storage: Option<Amount>,
    long: Option<LongRow>,
}

/// A decimal amount such as `"0.25"`, in millionths.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Amount(u64);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let amount = Prices::parse_amount(&text)
            .ok_or_else(|| D::Error::custom(format!("{text:?} is not an amount; write it like \"0.25\"")))?;
        Ok(Self(amount))
    }
}

/// Returns the prices of these amounts. An amount for the cache that is not given is the amount for input.
fn prices(input: Amount, output: Amount, cache: [Option<Amount>; 2], long: Option<&LongRow>) -> Prices {
    let [cache_read, cache_write] = cache.map(|amount| amount.unwrap_or(input).0);
    let long = long.map(|row| LongPrices {
        above: row.above,
        input: row.input.0,
        output: row.output.0,
        cache_read: row.cache_read.unwrap_or(row.input).0,
        cache_write: row.cache_write.unwrap_or(row.input).0,
    });
    Prices { input: input.0, output: output.0, cache_read, cache_write, long }
}

impl OwnPrice {
    pub(crate) fn price(&self) -> ModelPrice {
        let prices = prices(self.input, self.output, [self.cache_read, self.cache_write], self.long.as_ref());
        let storage =
            self.storage.map(|Amount(price)| StoragePrice { million_token_hours: price, as_of: None });
        ModelPrice { prices, as_of: None, source: None, storage }
    }
}

/// Returns whether a list with this name exists.
pub(crate) fn has_list(name: &str) -> bool {
    LISTS.contains_key(name)
}

/// Returns the price of a model in the list with this name.
pub(crate) fn find_price(list: &str, model: &str) -> Option<ModelPrice> {
    let (list, row) = find_row(list, model)?;
    let prices = prices(row.input, row.output, [row.cache_read, row.cache_write], row.long.as_ref());
    let storage = row.storage.map(|Amount(price)| {
        let as_of = list.storage_as_of.as_ref().unwrap_or(&list.as_of);
        StoragePrice { million_token_hours: price, as_of: Some(as_of) }
    });
    Some(ModelPrice { prices, as_of: Some(&list.as_of), source: Some(&list.source), storage })
}

/// Returns the largest request of a model in tokens, from the list with this name.
pub(crate) fn find_context(list: &str, model: &str) -> Option<u64> {
    find_row(list, model).map(|(_, row)| row.context)
}

fn find_row(list: &str, model: &str) -> Option<(&'static PriceList, &'static PriceRow)> {
    let list = LISTS.get(list)?;
    Some((list, list.rows.iter().find(|row| fits(&row.models, model))?))
}

#[cfg(test)]
mod tests;
