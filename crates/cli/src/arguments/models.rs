//! The options of `windlass models`, and those by which every provider is found and reached.

use std::path::PathBuf;

use clap::Args;

use super::WireName;

/// How providers are found and reached.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Reach {
    /// A file of providers, laid over those that windlass knows. Without it: `WINDLASS_CONFIG`, else
    /// windlass/providers.toml in the user's configuration.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The proxy for all providers. Without it: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`; `NO_PROXY` counts in any case.
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Certificates in PEM of authorities that are trusted besides the usual ones.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,
    /// How long a provider that is overloaded (429, 5xx) is asked again, in seconds. A provider that wants a longer wait is
    /// given up at once.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub(crate) retry_for: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass models\nExample: windlass models --provider openrouter --refresh")]
pub(crate) struct Models {
    /// The provider whose models are listed; without it the providers are.
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// Only this model, listed or not.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The address of an endpoint, with its version path: `http://localhost:8080/v1`.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The wire format of `--base-url`, if the provider does not say it.
    #[arg(long, value_enum)]
    pub(crate) wire: Option<WireName>,
    /// Ask the provider again, even if its list is not a day old.
    #[arg(long)]
    pub(crate) refresh: bool,
    /// Forget what refusals of this provider have taught.
    #[arg(long)]
    pub(crate) forget: bool,
    #[command(flatten)]
    pub(crate) reach: Reach,
    /// Print lines of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
