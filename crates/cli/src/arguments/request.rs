//! Options of each request to the model.

use std::path::Path;

use clap::Args;
use windlass_app::instructions::PromptOptions;
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

/// Words of the user for the system prompt of a run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "System prompt")]
pub(crate) struct PromptArgs {
    /// System prompt in place of the built-in one: a file, or the text itself. Instruction files and facts about the
    /// machine follow it.
    #[arg(long, value_name = "FILE|TEXT")]
    system: Option<String>,
    /// Text after the system prompt: a file, or the text itself. Can be repeated.
    #[arg(long, value_name = "FILE|TEXT")]
    append_system: Vec<String>,
}

impl PromptArgs {
    /// Returns the texts of both options, with the content of files that they name.
    pub(crate) fn options(&self) -> anyhow::Result<PromptOptions> {
        let mut options = PromptOptions::default();
        options.system = self.system.as_deref().map(read_words).transpose()?;
        options.append =
            self.append_system.iter().map(|words| read_words(words)).collect::<anyhow::Result<_>>()?;
        Ok(options)
    }
}

/// Returns the content of the file that a value names, or the value itself.
fn read_words(words: &str) -> anyhow::Result<String> {
    let file = Path::new(words);
    // The words can be longer than a path may be.
    if file.is_file() { crate::input::text(file) } else { Ok(words.to_owned()) }
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
