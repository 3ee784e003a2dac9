//! The options of `windlass models`, and the options that select and reach a provider, which several commands share.

use std::path::PathBuf;

use clap::Args;

use super::WireName;

/// Options of the configuration and the connection of providers.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Reach {
    /// File of providers that extends and overrides the built-in ones. The default is `WINDLASS_CONFIG`,
    /// otherwise windlass/providers.toml in the user's configuration folder.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Proxy for all providers. The default is `HTTPS_PROXY`, `HTTP_PROXY` or `ALL_PROXY`; `NO_PROXY` always
    /// applies.
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// PEM file of certificate authorities that are trusted in addition to the usual ones.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,
    /// Time in seconds during which requests to an overloaded provider (429, 5xx) are retried. If the
    /// provider requests a longer wait, the run fails at once.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub(crate) retry_for: u64,
    /// Number of retries of a request that did not reach the provider (default 4), and of an answer that broke
    /// off, is empty or is not JSON (default 5). With --retry-for 0 also those for an overloaded provider.
    #[arg(long, value_name = "N")]
    pub(crate) retries: Option<usize>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass models\nExample: windlass models --provider openrouter --refresh")]
pub(crate) struct Models {
    /// Provider whose models are listed; without it, providers are listed.
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// Only this model, even if the provider does not list it.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Base URL of an endpoint with its version path: `http://localhost:8080/v1`.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Wire format, if it is not the one that the provider defines.
    #[arg(long, value_enum)]
    pub(crate) wire: Option<WireName>,
    /// Refresh the list even if it is less than a day old.
    #[arg(long)]
    pub(crate) refresh: bool,
    /// Forget the capabilities that were learned from errors of this provider.
    #[arg(long)]
    pub(crate) forget: bool,
    #[command(flatten)]
    pub(crate) reach: Reach,
    /// Print lines of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
