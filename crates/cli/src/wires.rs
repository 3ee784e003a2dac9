//! Wire formats by the names of the command line.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde::de::{Deserialize, Deserializer, Error as _};
use windlass_app::WireFormat;

/// A wire format that an option names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WireName(pub(crate) WireFormat);

static NAMES: LazyLock<Vec<WireName>> =
    LazyLock::new(|| WireFormat::all().iter().copied().map(WireName).collect());

impl std::ops::Deref for WireName {
    type Target = WireFormat;

    fn deref(&self) -> &WireFormat {
        &self.0
    }
}

impl<'de> Deserialize<'de> for WireName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let format = NAMES.iter().find(|format| format.as_str() == name);
        format.copied().ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|format| format.as_str()).collect();
            D::Error::custom(format!("{name:?} is not a wire format; they are {}", names.join(", ")))
        })
    }
}

impl ValueEnum for WireName {
    fn value_variants<'a>() -> &'a [Self] {
        NAMES.as_slice()
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.as_str()).help(self.0.title()))
    }
}
