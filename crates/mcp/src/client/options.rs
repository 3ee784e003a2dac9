//! Options of the application for all servers.

use std::fmt;
use std::sync::Arc;

use windlass_redact::Redactor;
use windlass_tool::{Human, Tool};

use super::sampling::Sampler;
use super::trace::TraceSource;
use crate::{AcceptedTools, McpClient};

/// Options of the application for all servers.
///
/// By default the servers may not ask a human or a model, and see no roots.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ClientOptions {
    /// The tools that a human has accepted.
    pub accepted: AcceptedTools,
    /// The human who answers servers' questions. Without one, elicitation is not offered.
    pub human: Option<Arc<dyn Human>>,
    /// The application's access to a model for servers. Without one, sampling is refused.
    pub sampler: Option<Arc<dyn Sampler>>,
    /// The folders, as `file://` URLs, that servers can list as roots. Without any, the capability is
    /// not offered.
    pub roots: Vec<String>,
    /// Removes secrets from servers' log messages.
    pub redactor: Redactor,
    /// A wrapper for each tool.
    pub each: Option<ToolWrapper>,
    /// The source of the trace that requests to servers belong to. Without one, no trace is sent.
    pub trace: Option<TraceSource>,
}

/// A function that wraps a server's tool, for example in a recorder of calls.
pub type ToolWrapper = Arc<dyn Fn(&McpClient, Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync>;

impl ClientOptions {
    /// Sets the accepted tools.
    pub fn with_accepted(mut self, accepted: AcceptedTools) -> Self {
        self.accepted = accepted;
        self
    }

    /// Lets servers ask this human. Each question names its server.
    pub fn with_human(mut self, human: Arc<dyn Human>) -> Self {
        self.human = Some(human);
        self
    }

    /// Lets servers request a model's answer from this sampler. The messages are untrusted and the
    /// application pays, so the sampler must decide about each request.
    pub fn with_sampler(mut self, sampler: Arc<dyn Sampler>) -> Self {
        self.sampler = Some(sampler);
        self
    }

    /// Adds a folder, as a `file://` URL, to the roots that servers can list.
    pub fn with_root(mut self, address: impl Into<String>) -> Self {
        self.roots.push(address.into());
        self
    }

    /// Sets the redactor that removes secrets from servers' log messages.
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Sends the `traceparent` that this function returns with each request, so that a server's spans join
    /// the application's trace. Other texts than a `traceparent` are not sent.
    pub fn with_trace(mut self, trace: impl Fn() -> Option<String> + Send + Sync + 'static) -> Self {
        self.trace = Some(Arc::new(trace));
        self
    }

    /// Wraps each tool. The wrapper must keep the tool's spec, effects and inspection.
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
