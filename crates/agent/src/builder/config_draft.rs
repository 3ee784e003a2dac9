//! The configuration of the runs while the agent is built.

use windlass_loop::{Budget, Config, ContextLimits};
use windlass_tokens::Tokenizer;

use super::model_choices::ModelChoices;

/// The configuration of the runs, without the model and what follows from it.
pub(super) struct ConfigDraft {
    pub(super) config: Config,
}

impl Default for ConfigDraft {
    fn default() -> Self {
        Self { config: Config::new(String::new(), Vec::new()) }
    }
}

impl ConfigDraft {
    /// Copies the configuration of another agent, except its system prompt, its own budget, and what follows from its
    /// model.
    pub(super) fn copy(config: &Config) -> Self {
        let mut config = config.clone();
        config.system = None;
        config.ends_with_text = false;
        config.budget = Budget::default();
        config.context = ContextLimits { window: 0, compact_first: false, ..config.context };
        Self { config }
    }

    /// Sets the model and what follows from it. Without a shared budget the own one is shared.
    pub(super) fn complete(
        self,
        model: String,
        choices: ModelChoices,
        tokenizer: Option<Tokenizer>,
        shared_budget: Option<Budget>,
    ) -> Config {
        let mut config = self.config;
        config.budget = choices.complete_budget(config.budget);
        config.shared_budget = shared_budget.unwrap_or_else(|| config.budget.clone());
        config.context = choices.complete_context(config.context);
        config.tokenizer = tokenizer.unwrap_or_else(|| Tokenizer::for_model(&model));
        config.protocols = choices.protocols;
        config.model = model;
        config
    }
}
