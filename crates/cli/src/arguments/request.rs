//! Options of each request to the model.

use clap::Args;
use windlass_protocol::{Effort, PromptCache, RequestOptions};

/// Options of each request of a run. A request with an option that the provider's format cannot express fails, and the
/// error names the option.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Requests")]
pub(crate) struct RequestArgs {
    /// Amount of reasoning: off, minimal, low, medium, high, max or a number of tokens. The default is the model's.
    #[arg(long, value_name = "EFFORT")]
    effort: Option<Effort>,
    /// Sampling temperature.
    #[arg(long, value_name = "NUMBER")]
    temperature: Option<f64>,
    /// Share of probability from which tokens are sampled, between 0 and 1.
    #[arg(long, value_name = "SHARE")]
    top_p: Option<f64>,
    /// Maximum number of tokens of an answer, reasoning included.
    #[arg(long, value_name = "TOKENS")]
    max_tokens: Option<u64>,
    /// Seed of sampling.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Provider's name of the service tier, for example `flex`.
    #[arg(long, value_name = "NAME")]
    service_tier: Option<String>,
    /// Send no cache marks, which Anthropic bills when it writes its cache. Providers that cache without marks still do.
    #[arg(long)]
    no_cache: bool,
}

impl RequestArgs {
    pub(crate) fn options(&self) -> RequestOptions {
        let mut options = RequestOptions::default();
        options.reasoning = self.effort;
        options.temperature = self.temperature;
        options.top_p = self.top_p;
        options.max_output_tokens = self.max_tokens;
        options.seed = self.seed;
        options.service_tier.clone_from(&self.service_tier);
        if self.no_cache {
            options.prompt_cache = PromptCache::Off;
        }
        options
    }
}
