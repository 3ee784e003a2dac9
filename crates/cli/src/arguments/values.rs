//! Converts arguments to the values of the application library.

use windlass_app::providers::{ProviderChoice, ProviderOptions};
use windlass_app::{Autonomy, Confinement, EmbeddingOptions, ToolPreset, ToolSelection};

use super::{AutonomyName, Embeddings, Offering, PresetName, Reach, SandboxName, WireName};

impl SandboxName {
    pub(crate) fn confinement(self) -> Confinement {
        match self {
            Self::Auto => Confinement::Auto,
            Self::Required => Confinement::Required,
            Self::Off => Confinement::Off,
        }
    }
}

impl AutonomyName {
    pub(crate) fn autonomy(self) -> Autonomy {
        match self {
            Self::Ask => Autonomy::Ask,
            Self::ReadOnly => Autonomy::ReadOnly,
            Self::AutoEdit => Autonomy::AutoEdit,
            Self::Headless => Autonomy::Headless,
        }
    }
}

impl PresetName {
    pub(crate) fn preset(self) -> ToolPreset {
        match self {
            Self::Minimal => ToolPreset::Minimal,
            Self::Standard => ToolPreset::Standard,
            Self::Full => ToolPreset::Full,
        }
    }
}

impl Offering {
    pub(crate) fn selection(&self) -> ToolSelection {
        let mut selection = ToolSelection::default();
        selection.mode.clone_from(&self.mode);
        selection.tools.clone_from(&self.tools);
        selection.disabled.clone_from(&self.disabled);
        selection.features.clone_from(&self.features);
        selection.embeddings = self.embeddings.options();
        selection
    }
}

impl Embeddings {
    fn options(&self) -> EmbeddingOptions {
        let mut options = EmbeddingOptions::default();
        options.url.clone_from(&self.url);
        options.model.clone_from(&self.model);
        options.dimensions = self.dimensions;
        options
    }
}

impl Reach {
    pub(crate) fn options(&self) -> ProviderOptions {
        let mut options = ProviderOptions::default();
        options.config.clone_from(&self.config);
        options.proxy.clone_from(&self.proxy);
        options.ca_file.clone_from(&self.ca_file);
        options.retry_for = self.retry_for;
        options.retries = self.retries;
        options
    }
}

/// Returns the provider that options name.
pub(crate) fn provider_choice(
    provider: Option<&String>,
    base_url: Option<&String>,
    wire: Option<WireName>,
    model: Option<&String>,
) -> ProviderChoice {
    let mut choice = ProviderChoice::default();
    choice.provider = provider.cloned();
    choice.base_url = base_url.cloned();
    choice.wire = wire.map(|wire| wire.0);
    choice.model = model.cloned();
    choice
}
