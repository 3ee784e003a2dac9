//! The offered tools, indexed for looking up names and parameters while text arrives.

use std::fmt;

use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use windlass_protocol::ToolSpec;
use windlass_schema::{AcceptedKinds, Need, resolve};

use crate::CallableTools;

/// Maximum bytes of text that can be a name.
pub(crate) const NAME_BYTES: usize = 256;

/// The offered tools.
#[derive(Debug)]
pub(crate) struct Tools {
    any: bool,
    list: Vec<Tool>,
}

/// The name and the parameters of one tool.
#[derive(Debug, Default)]
pub(crate) struct Tool {
    name: String,
    schema: Value,
    /// The names of the properties in the author's order.
    properties: Vec<String>,
}

impl Tools {
    pub(crate) fn new(offer: &CallableTools) -> Self {
        match offer {
            CallableTools::Any => Self { any: true, list: Vec::new() },
            CallableTools::Only(specs) => Self { any: false, list: specs.iter().map(Tool::new).collect() },
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.any && self.list.is_empty()
    }

    pub(crate) fn takes_any(&self) -> bool {
        self.any
    }

    pub(crate) fn offers(&self, name: &str) -> bool {
        if self.any { plausible(name) && !name.is_empty() } else { self.get(name).is_some() }
    }

    /// Returns whether the name of an offered tool can start with this text.
    pub(crate) fn may_begin(&self, text: &str) -> bool {
        if self.any { plausible(text) } else { self.list.iter().any(|tool| tool.name.starts_with(text)) }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Tool> {
        self.list.iter().find(|tool| tool.name == name)
    }
}

impl Tool {
    pub(crate) fn new(spec: &ToolSpec) -> Self {
        let (schema, properties) = match spec {
            ToolSpec::Function { parameters, .. } => {
                let order = serde_json::from_str::<OrderedSchema>(parameters.as_str()).unwrap_or_default();
                (parameters.to_value(), order.properties.unwrap_or_default().0)
            }
            _ => (Value::Null, Vec::new()),
        };
        Self { name: spec.name().as_str().to_owned(), schema, properties }
    }

    pub(crate) fn schema(&self) -> &Value {
        &self.schema
    }

    pub(crate) fn properties(&self) -> &[String] {
        &self.properties
    }

    /// Returns whether the schema lists parameters.
    pub(crate) fn lists_parameters(&self) -> bool {
        !self.properties.is_empty()
    }

    pub(crate) fn has(&self, parameter: &str) -> bool {
        self.properties.iter().any(|known| known == parameter)
    }

    pub(crate) fn property(&self, name: &str) -> Option<&Value> {
        resolve(&self.schema, &self.schema).get("properties")?.get(name)
    }

    /// Returns the types that the schema accepts for a parameter.
    pub(crate) fn kinds_of(&self, parameter: &str) -> AcceptedKinds {
        self.property(parameter)
            .map_or(AcceptedKinds::UNKNOWN, |schema| AcceptedKinds::from_schema(schema, &self.schema))
    }

    /// Returns whether a parameter is required.
    pub(crate) fn need(&self, parameter: &str) -> Need {
        Need::from_property(resolve(&self.schema, &self.schema), parameter)
    }
}

/// Returns whether a text has only characters that tool names usually have.
fn plausible(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:/".contains(&byte))
}

/// A schema of which only the order of its properties is parsed.
#[derive(Default, Deserialize)]
#[serde(default)]
struct OrderedSchema {
    properties: Option<Keys>,
}

#[derive(Default)]
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(KeysVisitor)
    }
}

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Keys, A::Error> {
        let mut keys = Vec::new();
        while let Some((key, _)) = members.next_entry::<String, IgnoredAny>()? {
            keys.push(key);
        }
        Ok(Keys(keys))
    }
}
