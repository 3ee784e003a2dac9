//! The inputs of the load model: a data file in which each value has a unit, a source and a date.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The values of the data file by name.
#[derive(Debug)]
pub(super) struct Inputs {
    list: BTreeMap<String, Input>,
}

/// A value with its origin.
#[derive(Debug)]
struct Input {
    value: f64,
    unit: String,
    is_measured: bool,
    source: String,
}

impl Inputs {
    /// Parses the data file. Every value needs a unit, a source, a date, and whether it is measured.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let table: BTreeMap<String, Value> = toml::from_str(text)?;
        let mut list = BTreeMap::new();
        for (name, fields) in table {
            let input = Input::read(&fields).with_context(|| format!("the input `{name}`"))?;
            list.insert(name, input);
        }
        Ok(Self { list })
    }

    /// Returns the value of an input.
    pub(super) fn get(&self, name: &str) -> Result<f64> {
        let input = self.list.get(name).with_context(|| format!("unknown input `{name}`"))?;
        Ok(input.value)
    }

    /// Replaces the value of an input.
    pub(super) fn set(&mut self, name: &str, value: f64) -> Result<()> {
        let input = self.list.get_mut(name).with_context(|| format!("unknown input `{name}`"))?;
        ensure!(value.is_finite() && value > 0.0, "`{name}` needs a positive number");
        input.value = value;
        Ok(())
    }

    /// Returns a line for each input that is not measured.
    pub(super) fn describe_assumptions(&self) -> Vec<String> {
        self.list
            .iter()
            .filter(|(_, input)| !input.is_measured)
            .map(|(name, input)| format!("{name} = {} {} ({})", input.value, input.unit, input.source))
            .collect()
    }
}

impl Input {
    fn read(fields: &Value) -> Result<Self> {
        let text = |name: &str| {
            let text = fields.get(name).and_then(Value::as_str).unwrap_or_default();
            ensure!(!text.is_empty(), "lacks the text `{name}`");
            Ok(text.to_owned())
        };
        text("date")?;
        let value = fields.get("value").and_then(Value::as_f64).context("lacks the number `value`")?;
        ensure!(value.is_finite() && value > 0.0, "`value` is not positive");
        let is_measured = fields.get("measured").and_then(Value::as_bool).context("lacks `measured`")?;
        Ok(Self { value, unit: text("unit")?, is_measured, source: text("source")? })
    }
}

#[cfg(test)]
mod tests {
    use super::Inputs;

    const ONE: &str =
        "[a]\nvalue = 2\nunit = \"s\"\nmeasured = false\nsource = \"guess\"\ndate = \"2026-11-23\"\n";

    #[test]
    fn an_input_that_is_not_measured_is_described() {
        let inputs = Inputs::parse(ONE).unwrap();
        assert_eq!(inputs.describe_assumptions(), ["a = 2 s (guess)"]);
        let measured = Inputs::parse(&ONE.replace("false", "true")).unwrap();
        assert!(measured.describe_assumptions().is_empty());
    }

    #[test]
    fn an_input_needs_a_unit_a_source_and_a_date() {
        for field in ["unit", "source", "date", "measured", "value"] {
            let text: String =
                ONE.lines().filter(|line| !line.starts_with(field)).collect::<Vec<_>>().join("\n");
            let error = Inputs::parse(&text).unwrap_err();
            assert!(format!("{error:#}").contains(field), "{error:#}");
        }
    }

    #[test]
    fn a_missing_input_is_an_error() {
        assert!(Inputs::parse(ONE).unwrap().get("b").unwrap_err().to_string().contains("`b`"));
    }
}
