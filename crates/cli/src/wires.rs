//! Wire formats by the names of the command line.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
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

impl ValueEnum for WireName {
    fn value_variants<'a>() -> &'a [Self] {
        NAMES.as_slice()
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.as_str()).help(self.0.title()))
    }
}
