//! The hooks of an agent, its tokenizer and its summarizer.

use std::sync::Arc;
use std::time::Duration;

use super::AgentBuilder;
use windlass_tokens::{CountTokens, Tokenizer};

use crate::{Hook, Summarizer};

impl AgentBuilder {
    /// Adds a hook, which the runs of the agent call at its points. It can refuse, ask and rewrite, but not permit.
    /// Hooks are called in the order in which they are added.
    pub fn hook(mut self, hook: impl Hook + 'static) -> Self {
        self.hooks.push(Arc::new(hook), false);
        self
    }

    /// Adds a hook of the program's owner. It can also permit calls that only the default of the autonomy would ask
    /// about ([`HookVerdict::Permit`](crate::HookVerdict::Permit)). Never add a hook from a plug-in or a file of a
    /// project in this way.
    pub fn owner_hook(mut self, hook: impl Hook + 'static) -> Self {
        self.hooks.push(Arc::new(hook), true);
        self
    }

    /// Sets the tokenizer that counts the conversation. By default it is the one that belongs to the model's name, or an estimate.
    pub fn tokenizer(mut self, tokenizer: impl CountTokens + 'static) -> Self {
        self.tokenizer = Some(Tokenizer::custom(tokenizer));
        self
    }

    /// Sets the code that summarises the turns which compaction removes. By default the agent's model does.
    pub fn summarizer(mut self, summarizer: impl Summarizer + 'static) -> Self {
        self.summarizer = Some(Arc::new(summarizer));
        self
    }

    /// Sets the time that each hook may take, 30 seconds by default. A guard that takes longer counts as a veto.
    pub fn hook_timeout(mut self, timeout: Duration) -> Self {
        self.hooks.timeout = timeout;
        self
    }
}
