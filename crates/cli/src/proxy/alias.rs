//! Aliases of the gateway: a model of an upstream, or a chain of them.

use std::fmt;

use serde::Deserialize;
use toml::Value;

/// A model of an upstream, written `UPSTREAM/MODEL`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) upstream: String,
    pub(super) model: String,
}

impl Target {
    fn parse(text: &str) -> Result<Self, String> {
        match text.split_once('/') {
            Some((upstream, model)) if !upstream.is_empty() && !model.is_empty() => {
                Ok(Self { upstream: upstream.to_owned(), model: model.to_owned() })
            }
            _ => Err(format!("{text:?} is not UPSTREAM/MODEL")),
        }
    }
}

/// The stages of an alias. A later stage answers if all models of the earlier ones fail; within a stage requests are
/// balanced by weight.
///
/// A text is one model, a list has the stages, and a stage of several models is a table of weights:
/// `[{ "a/large" = 2, "b/large" = 1 }, "c/small"]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub(super) struct Alias {
    /// At least one stage, each with at least one model.
    pub(super) stages: Vec<Vec<(Target, u32)>>,
}

impl TryFrom<Value> for Alias {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let stages = match value {
            Value::Array(stages) => stages.iter().map(read_stage).collect::<Result<Vec<_>, _>>()?,
            stage => vec![read_stage(&stage)?],
        };
        if stages.is_empty() {
            return Err("an alias without a model".to_owned());
        }
        Ok(Self { stages })
    }
}

impl Alias {
    pub(super) fn targets(&self) -> impl Iterator<Item = &Target> {
        self.stages.iter().flatten().map(|(target, _)| target)
    }
}

impl fmt::Display for Alias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = |members: &Vec<(Target, u32)>| {
            let names = members.iter().map(|(target, weight)| match members.len() {
                1 => format!("{}/{}", target.upstream, target.model),
                _ => format!("{}/{} (weight {weight})", target.upstream, target.model),
            });
            names.collect::<Vec<_>>().join(" and ")
        };
        f.write_str(&self.stages.iter().map(stage).collect::<Vec<_>>().join(", then "))
    }
}

fn read_stage(value: &Value) -> Result<Vec<(Target, u32)>, String> {
    match value {
        Value::String(text) => Ok(vec![(Target::parse(text)?, 1)]),
        Value::Table(weights) if !weights.is_empty() => {
            let read = |(text, weight): (&String, &Value)| {
                let number = weight.as_integer().and_then(|number| u32::try_from(number).ok());
                let number = number.filter(|number| *number > 0);
                let number =
                    number.ok_or_else(|| format!("the weight of {text:?} is not a positive number"))?;
                Ok((Target::parse(text)?, number))
            };
            weights.iter().map(read).collect()
        }
        _ => Err("a stage of an alias is UPSTREAM/MODEL or a table of weights".to_owned()),
    }
}
