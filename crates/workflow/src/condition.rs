//! Conditions over the state of a workflow: comparisons of values, and their boolean combinations.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::PathError;
use crate::template::{Filling, Look, Path};

/// A condition as declared in a definition. Each operand is a value that may contain paths.
///
/// ```
/// use windlass_workflow::ConditionDefinition;
/// let text = r#"{"all": [{"equals": ["{{ input.mode }}", "full"]}, {"not": {"empty": "{{ steps.find.output }}"}}]}"#;
/// let condition: ConditionDefinition = serde_json::from_str(text)?;
/// assert!(matches!(condition, ConditionDefinition::All(_)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConditionDefinition {
    /// The two values are equal. Numbers compare by value: 1 equals 1.0.
    Equals(Value, Value),
    /// The first value contains the second: a text its substring, a list its element, an object its key.
    Contains(Value, Value),
    /// The value is null, a text of white space only, an empty list or an empty object.
    Empty(Value),
    /// The first number is greater than the second.
    Greater(Value, Value),
    /// The first number is less than the second.
    Less(Value, Value),
    /// The inner condition does not hold.
    Not(Box<Self>),
    /// Every inner condition holds.
    All(Vec<Self>),
    /// At least one inner condition holds.
    Any(Vec<Self>),
}

/// A condition with parsed paths.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    Equals(Filling, Filling),
    Contains(Filling, Filling),
    Empty(Filling),
    Greater(Filling, Filling),
    Less(Filling, Filling),
    Not(Box<Self>),
    All(Vec<Self>),
    Any(Vec<Self>),
}

/// Maximum nesting depth of conditions.
const MAX_DEPTH: usize = 32;

impl Condition {
    pub(crate) fn parse(definition: &ConditionDefinition) -> Result<Self, PathError> {
        Self::parse_within(definition, MAX_DEPTH)
    }

    fn parse_within(definition: &ConditionDefinition, depth: usize) -> Result<Self, PathError> {
        let depth = depth.checked_sub(1).ok_or(PathError::TooDeep)?;
        let list = |list: &[ConditionDefinition]| {
            list.iter().map(|condition| Self::parse_within(condition, depth)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match definition {
            ConditionDefinition::Equals(left, right) => {
                Self::Equals(Filling::parse(left)?, Filling::parse(right)?)
            }
            ConditionDefinition::Contains(whole, part) => {
                Self::Contains(Filling::parse(whole)?, Filling::parse(part)?)
            }
            ConditionDefinition::Empty(value) => Self::Empty(Filling::parse(value)?),
            ConditionDefinition::Greater(left, right) => {
                Self::Greater(Filling::parse(left)?, Filling::parse(right)?)
            }
            ConditionDefinition::Less(left, right) => {
                Self::Less(Filling::parse(left)?, Filling::parse(right)?)
            }
            ConditionDefinition::Not(inner) => Self::Not(Box::new(Self::parse_within(inner, depth)?)),
            ConditionDefinition::All(inner) => Self::All(list(inner)?),
            ConditionDefinition::Any(inner) => Self::Any(list(inner)?),
        })
    }

    pub(crate) fn each_path(&self, tell: &mut dyn FnMut(&Path)) {
        match self {
            Self::Equals(left, right)
            | Self::Contains(left, right)
            | Self::Greater(left, right)
            | Self::Less(left, right) => {
                left.each_path(tell);
                right.each_path(tell);
            }
            Self::Empty(value) => value.each_path(tell),
            Self::Not(inner) => inner.each_path(tell),
            Self::All(inner) | Self::Any(inner) => {
                for condition in inner {
                    condition.each_path(tell);
                }
            }
        }
    }

    /// Evaluates the condition. Values that are not both numbers are neither greater nor less.
    pub(crate) fn holds(&self, look: Look<'_>) -> Result<bool, PathError> {
        Ok(match self {
            Self::Equals(left, right) => is_equal(&left.fill(look)?, &right.fill(look)?),
            Self::Contains(whole, part) => contains(&whole.fill(look)?, &part.fill(look)?),
            Self::Empty(value) => is_empty(&value.fill(look)?),
            Self::Greater(left, right) => is_less(&right.fill(look)?, &left.fill(look)?),
            Self::Less(left, right) => is_less(&left.fill(look)?, &right.fill(look)?),
            Self::Not(inner) => !inner.holds(look)?,
            // Evaluate every branch, so that a missing path is reported whatever the other branches give.
            Self::All(inner) => all(inner, look)?.into_iter().all(|holds| holds),
            Self::Any(inner) => all(inner, look)?.into_iter().any(|holds| holds),
        })
    }
}

fn all(conditions: &[Condition], look: Look<'_>) -> Result<Vec<bool>, PathError> {
    conditions.iter().map(|condition| condition.holds(look)).collect()
}

/// Compares two values; 1 and 1.0 are equal.
fn is_equal(left: &Value, right: &Value) -> bool {
    match (Number::from_value(left), Number::from_value(right)) {
        (Some(left), Some(right)) => left.compare(right) == Some(Ordering::Equal),
        _ => match (left, right) {
            (Value::Array(left), Value::Array(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_equal(left, right))
            }
            (Value::Object(left), Value::Object(right)) => {
                let is_same = |(name, value): (&String, &Value)| {
                    right.get(name).is_some_and(|other| is_equal(value, other))
                };
                left.len() == right.len() && left.iter().all(is_same)
            }
            _ => left == right,
        },
    }
}

fn is_less(left: &Value, right: &Value) -> bool {
    match (Number::from_value(left), Number::from_value(right)) {
        (Some(left), Some(right)) => left.compare(right) == Some(Ordering::Less),
        _ => false,
    }
}

/// A number without loss of precision (RULES J4): a 64-bit float cannot represent all integers above 2^53.
#[derive(Clone, Copy)]
enum Number {
    Whole(i128),
    /// A number with a fraction, or an integer outside the range of `i128`.
    Float(f64),
}

impl Number {
    fn from_value(value: &Value) -> Option<Self> {
        let whole = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
        whole.map(Self::Whole).or_else(|| {
            let float = value.as_f64()?;
            // Formatting with `.0` prints all digits of the integer part.
            let whole = (float.fract() == 0.0).then(|| format!("{float:.0}").parse().ok()).flatten();
            Some(whole.map_or(Self::Float(float), Self::Whole))
        })
    }

    fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Whole(left), Self::Whole(right)) => Some(left.cmp(&right)),
            (Self::Float(left), Self::Float(right)) => left.partial_cmp(&right),
            (Self::Whole(left), Self::Float(right)) => Some(to_float(left, right)),
            (Self::Float(left), Self::Whole(right)) => Some(to_float(right, left).reverse()),
        }
    }
}

/// Compares an integer with a float that does not equal an integer.
fn to_float(whole: i128, float: f64) -> Ordering {
    match format!("{:.0}", float.floor()).parse::<i128>() {
        Ok(below) if whole <= below => Ordering::Less,
        // The float is greater than every `i128`.
        Err(_) if float > 0.0 => Ordering::Less,
        _ => Ordering::Greater,
    }
}

fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::String(whole), Value::String(part)) => whole.contains(part.as_str()),
        (Value::Array(list), part) => list.iter().any(|value| is_equal(value, part)),
        (Value::Object(object), Value::String(name)) => object.contains_key(name),
        _ => false,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests;
