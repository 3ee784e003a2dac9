//! Names of wire formats, in arguments and in the settings of runs.

use std::sync::{Arc, LazyLock};

use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use windlass_vendors::WireFormat;
use windlass_wire::{Server, Wire};

/// A wire format that a user chose by its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WireName(&'static WireFormat);

static NAMES: LazyLock<Vec<WireName>> = LazyLock::new(|| WireFormat::all().iter().map(WireName).collect());

impl WireName {
    /// Returns all wire formats. The first is the default.
    pub(crate) fn all() -> &'static [Self] {
        NAMES.as_slice()
    }

    /// Returns the server side of the wire format.
    pub(crate) fn server(self) -> Arc<dyn Server> {
        self.0.server.clone()
    }

    /// Returns the client side of the wire format.
    pub(crate) fn wire(self) -> Arc<dyn Wire> {
        self.0.wire.clone()
    }

    /// Returns the name that endpoints use for the wire format.
    pub(crate) fn as_str(self) -> &'static str {
        self.0.name()
    }

    /// Returns the name of the vendor that defined the wire format.
    pub(crate) fn vendor(self) -> &'static str {
        self.0.vendor
    }

    /// Returns the path at the end of the base URL that clients of the wire format are given.
    pub(crate) fn base_path(self) -> &'static str {
        self.0.base_path
    }

    /// Returns the name in the settings of stored runs: `openai-chat` is `OpenaiChat`.
    fn stored_name(self) -> String {
        let capitalize = |word: &str| {
            let mut letters = word.chars();
            letters
                .next()
                .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
        };
        self.as_str().split('-').map(capitalize).collect()
    }
}

/// The wire format that is used if none is named.
impl Default for WireName {
    fn default() -> Self {
        Self(WireFormat::preferred())
    }
}

impl PartialEq for WireName {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for WireName {}

impl ValueEnum for WireName {
    fn value_variants<'a>() -> &'a [Self] {
        Self::all()
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.as_str()).help(self.0.title))
    }
}

impl Serialize for WireName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.stored_name())
    }
}

impl<'de> Deserialize<'de> for WireName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let format = Self::all().iter().find(|format| format.stored_name() == name);
        format.copied().ok_or_else(|| D::Error::custom(format!("the wire format {name} is not known")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Settings of runs were written with these names before the formats were a list.
    #[test]
    fn stored_settings_keep_their_names_of_wire_formats() {
        let stored: Vec<String> =
            WireName::all().iter().map(|name| serde_json::to_string(name).unwrap()).collect();
        assert_eq!(stored, ["\"OpenaiChat\"", "\"OpenaiResponses\"", "\"Anthropic\"", "\"Gemini\""]);
        for (name, stored) in WireName::all().iter().zip(&stored) {
            assert_eq!(serde_json::from_str::<WireName>(stored).unwrap(), *name);
        }
        assert!(serde_json::from_str::<WireName>("\"Smoke\"").is_err());
    }
}
