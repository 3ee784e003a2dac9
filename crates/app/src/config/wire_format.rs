//! Names of wire formats, in arguments and in the settings of runs.

use std::sync::{Arc, LazyLock};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use windlass_wire::{Server, Wire};

/// A wire format that a user chose by its name.
#[derive(Clone, Copy, Debug)]
pub struct WireFormat(&'static windlass_vendors::WireFormat);

static FORMATS: LazyLock<Vec<WireFormat>> =
    LazyLock::new(|| windlass_vendors::WireFormat::all().iter().map(WireFormat).collect());

impl WireFormat {
    /// Returns all wire formats. The first is the default.
    pub fn all() -> &'static [Self] {
        FORMATS.as_slice()
    }

    /// Returns the server side of the wire format.
    pub fn server(self) -> Arc<dyn Server> {
        self.0.server.clone()
    }

    /// Returns the client side of the wire format.
    pub fn wire(self) -> Arc<dyn Wire> {
        self.0.wire.clone()
    }

    /// Returns the name that endpoints use for the wire format.
    pub fn as_str(self) -> &'static str {
        self.0.name()
    }

    /// Returns the name of the wire format for people.
    pub fn title(self) -> &'static str {
        self.0.title
    }

    /// Returns the name of the vendor that defined the wire format.
    pub fn vendor(self) -> &'static str {
        self.0.vendor
    }

    /// Returns the path at the end of the base URL that clients of the wire format are given.
    pub fn base_path(self) -> &'static str {
        self.0.base_path
    }

    /// Returns the name in the settings of stored runs: `openai-chat` is `OpenaiChat`.
    fn settings_name(self) -> String {
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
impl Default for WireFormat {
    fn default() -> Self {
        Self(windlass_vendors::WireFormat::default_format())
    }
}

impl PartialEq for WireFormat {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for WireFormat {}

impl Serialize for WireFormat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.settings_name())
    }
}

impl<'de> Deserialize<'de> for WireFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let format = Self::all().iter().find(|format| format.settings_name() == name);
        format.copied().ok_or_else(|| D::Error::custom(format!("the wire format {name} is not known")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Settings of runs were written with these names before the formats were a list.
    #[test]
    fn settings_of_stored_runs_keep_the_names_of_wire_formats() {
        let stored: Vec<String> =
            WireFormat::all().iter().map(|format| serde_json::to_string(format).unwrap()).collect();
        assert_eq!(stored, ["\"OpenaiChat\"", "\"OpenaiResponses\"", "\"Anthropic\"", "\"Gemini\""]);
        for (format, stored) in WireFormat::all().iter().zip(&stored) {
            assert_eq!(serde_json::from_str::<WireFormat>(stored).unwrap(), *format);
        }
        assert!(serde_json::from_str::<WireFormat>("\"Smoke\"").is_err());
    }
}
