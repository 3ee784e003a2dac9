//! Comparison of JSON values by their meaning: `1` and `1.0` are the same number.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// Returns whether two values are equal, with numbers compared by value.
pub(super) fn is_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare(left, right) == Some(Ordering::Equal),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| right.get(name).is_some_and(|right| is_equal(left, right)))
        }
        _ => left == right,
    }
}

/// Returns a value whose text is equal for equal values: numbers without a fraction are integers.
pub(super) fn canonical(value: &Value) -> Value {
    match value {
        Value::Number(number) => whole(number).map_or_else(|| value.clone(), Value::from),
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| (name.clone(), canonical(member))).collect()
        }
        _ => value.clone(),
    }
}

/// Returns a number that is written as a float and has no fraction as an integer.
fn whole(number: &Number) -> Option<i64> {
    let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0)?;
    format!("{float:.0}").parse().ok()
}

/// Compares two numbers: integers exactly, others as `f64`.
pub(super) fn compare(left: &Number, right: &Number) -> Option<Ordering> {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

/// Returns whether a number has no fractional part.
pub(super) fn is_integer(number: &Number) -> bool {
    number.as_i128().is_some() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// Returns true if a number is a multiple of another. The comparison is exact, by decimal digits; numbers with too
/// many digits are compared as `f64`.
pub(super) fn is_multiple(number: &Number, of: &Number) -> bool {
    match (decimal(number), decimal(of)) {
        (Some(left), Some(right)) => {
            let places = left.places.max(right.places);
            match (left.scale_to(places), right.scale_to(places)) {
                (Some(left), Some(right)) => left.checked_rem(right) == Some(0),
                _ => is_float_multiple(number, of),
            }
        }
        _ => is_float_multiple(number, of),
    }
}

fn is_float_multiple(number: &Number, of: &Number) -> bool {
    match (number.as_f64(), of.as_f64()) {
        (Some(number), Some(of)) => number % of == 0.0,
        _ => false,
    }
}

/// A decimal number: `digits` divided by ten to the power of `places`.
struct Decimal {
    digits: i128,
    places: u32,
}

impl Decimal {
    fn scale_to(&self, places: u32) -> Option<i128> {
        self.digits.checked_mul(10_i128.checked_pow(places.checked_sub(self.places)?)?)
    }
}

fn decimal(number: &Number) -> Option<Decimal> {
    let text = number.to_string();
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let places = i32::try_from(fraction.len()).ok()?.checked_sub(exponent.parse().ok()?)?;
    if let Ok(places) = u32::try_from(places) {
        return Some(Decimal { digits, places });
    }
    let factor = 10_i128.checked_pow(places.unsigned_abs())?;
    Some(Decimal { digits: digits.checked_mul(factor)?, places: 0 })
}
