//! Values of settings, and their conversion from TOML and from words.

use std::fmt;

use serde::Serialize;
use toml::Value;
use windlass_agent::Prices;
use windlass_protocol::Effort;

use crate::config::WireFormat;
use crate::error::{Context as _, Result, bail, ensure};

/// Maximum length of a list, and of a text in bytes.
const MAX_ITEMS: usize = 100;
const MAX_TEXT: usize = 4_096;

/// Type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueKind {
    /// Any text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// The name of a wire format.
    Wire,
    /// An amount of reasoning: `low`, or a number of tokens.
    Effort,
    /// `true` or `false`.
    Boolean,
    /// A whole number, 0 or greater.
    Integer,
    /// An amount of money, such as `0.25`.
    Amount,
    /// A list of texts.
    List,
}

/// Value of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ConfigValue {
    /// Text, or the name of a choice.
    Text(String),
    /// Truth value.
    Boolean(bool),
    /// Whole number.
    Integer(u64),
    /// List of texts.
    List(Vec<String>),
}

impl ConfigValue {
    /// Returns the value of a text or a choice.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of a truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the value of a whole number.
    pub fn as_integer(&self) -> Option<u64> {
        match self {
            Self::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the texts of a list; other values give an empty list.
    pub fn as_list(&self) -> &[String] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the value as TOML.
    pub(crate) fn to_toml(&self) -> Result<toml_edit::Value> {
        Ok(match self {
            Self::Text(text) => text.as_str().into(),
            Self::Boolean(value) => (*value).into(),
            Self::Integer(number) => {
                i64::try_from(*number).ok().context("the number is too large for the file")?.into()
            }
            Self::List(items) => items.iter().map(String::as_str).collect::<toml_edit::Array>().into(),
        })
    }
}

impl fmt::Display for ConfigValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Boolean(value) => value.fmt(f),
            Self::Integer(number) => number.fmt(f),
            Self::List(items) => f.write_str(&items.join(", ")),
        }
    }
}

impl ValueKind {
    /// Converts a value of a file.
    pub(crate) fn read(self, value: &Value) -> Result<ConfigValue> {
        let expected = || format!("it is not {}", self.describe());
        let converted = match (self, value) {
            (Self::Boolean, Value::Boolean(value)) => ConfigValue::Boolean(*value),
            (Self::Integer, Value::Integer(number)) => {
                ConfigValue::Integer(u64::try_from(*number).ok().with_context(expected)?)
            }
            (Self::Effort | Self::Amount, Value::Integer(number)) => ConfigValue::Text(number.to_string()),
            (Self::Amount, Value::Float(number)) => ConfigValue::Text(number.to_string()),
            (Self::List, Value::Array(items)) => {
                let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
                ConfigValue::List(texts.collect::<Option<_>>().with_context(expected)?)
            }
            (
                Self::Text | Self::Choice(_) | Self::Wire | Self::Effort | Self::Amount,
                Value::String(text),
            ) => ConfigValue::Text(text.clone()),
            _ => bail!(Invalid, "{}", expected()),
        };
        self.check(converted)
    }

    /// Converts words of a person. The texts of a list are separated by commas.
    pub(crate) fn parse(self, words: &str) -> Result<ConfigValue> {
        let expected = || format!("it is not {}", self.describe());
        let converted = match self {
            Self::Boolean => ConfigValue::Boolean(words.parse().ok().with_context(expected)?),
            Self::Integer => ConfigValue::Integer(words.parse().ok().with_context(expected)?),
            Self::List => {
                let items = words.split(',').map(str::trim).filter(|item| !item.is_empty());
                ConfigValue::List(items.map(str::to_owned).collect())
            }
            _ => ConfigValue::Text(words.to_owned()),
        };
        self.check(converted)
    }

    /// Checks the content of a value that has the right type.
    fn check(self, value: ConfigValue) -> Result<ConfigValue> {
        let texts = match &value {
            ConfigValue::Text(text) => std::slice::from_ref(text),
            ConfigValue::List(items) => items.as_slice(),
            _ => &[],
        };
        ensure!(texts.len() <= MAX_ITEMS, Invalid, "it has more than {MAX_ITEMS} items");
        for text in texts {
            ensure!(!text.is_empty(), Invalid, "it is empty");
            ensure!(text.len() <= MAX_TEXT, Invalid, "it has more than {MAX_TEXT} bytes");
            ensure!(!text.chars().any(char::is_control), Invalid, "it contains control characters");
        }
        if let Some(text) = value.as_text() {
            let is_valid = match self {
                Self::Choice(words) => words.contains(&text),
                Self::Wire => WireFormat::all().iter().any(|format| format.as_str() == text),
                Self::Effort => text.parse::<Effort>().is_ok(),
                Self::Amount => Prices::parse_amount(text).is_some(),
                _ => true,
            };
            ensure!(is_valid, Invalid, "it is not {}", self.describe());
        }
        Ok(value)
    }

    fn describe(self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::Wire => {
                let names: Vec<&str> = WireFormat::all().iter().map(|format| format.as_str()).collect();
                format!("one of {}", names.join(", "))
            }
            Self::Effort => "off, minimal, low, medium, high, max or a number of tokens".to_owned(),
            Self::Boolean => "true or false".to_owned(),
            Self::Integer => "a whole number of 0 or more".to_owned(),
            Self::Amount => "an amount such as 3 or 0.25".to_owned(),
            Self::List => "a list of texts".to_owned(),
        }
    }
}
