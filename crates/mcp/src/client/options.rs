//! What the application gives to all servers.

use std::fmt;
use std::sync::Arc;

use windlass_redact::Redactor;
use windlass_tool::{Human, Tool};

use super::sampling::Sampler;
use crate::{AcceptedTools, McpClient};

/// What the application gives to all servers.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ClientOptions {
    /// What a human has accepted.
    pub accepted: AcceptedTools,
    /// Whom servers may ask; without her, no server may ask anybody.
    pub human: Option<Arc<dyn Human>>,
    /// Who asks a model for servers; without, none is asked.
    pub sampler: Option<Arc<dyn Sampler>>,
    /// The folders that servers are told of when they ask, as `file://` addresses; with none, they may not ask.
    pub roots: Vec<String>,
    /// What is taken out of what servers log.
    pub redactor: Redactor,
    /// What is put around each tool.
    pub each: Option<Wrap>,
}

/// Puts something around a tool of a server, as an application that records its calls does.
pub type Wrap = Arc<dyn Fn(&McpClient, Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync>;

impl ClientOptions {
    /// The same with what a human has accepted.
    pub fn with_accepted(mut self, accepted: AcceptedTools) -> Self {
        self.accepted = accepted;
        self
    }

    /// The same, and servers may ask this human. Each question names its server, and nobody else answers it.
    pub fn with_human(mut self, human: Arc<dyn Human>) -> Self {
        self.human = Some(human);
        self
    }

    /// The same, and servers may have a model asked by this. Their words are strangers', and the bill is the application's:
    /// whoever answers decides each time.
    pub fn with_sampler(mut self, sampler: Arc<dyn Sampler>) -> Self {
        self.sampler = Some(sampler);
        self
    }

    /// The same, and servers that ask are told of this folder: a `file://` address.
    pub fn with_root(mut self, address: impl Into<String>) -> Self {
        self.roots.push(address.into());
        self
    }

    /// The same with secrets that are taken out of what servers log.
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// The same with something around each tool. What a tool does and what it asks stays the tool's own.
    pub fn with_each(
        mut self,
        wrap: impl Fn(&McpClient, Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync + 'static,
    ) -> Self {
        self.each = Some(Arc::new(wrap));
        self
    }
}

impl fmt::Debug for ClientOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientOptions").field("has_human", &self.human.is_some()).finish_non_exhaustive()
    }
}
