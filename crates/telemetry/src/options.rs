//! The options of a run's spans.

use windlass_redact::Redactor;

use crate::Conventions;

/// The setting for text from models and tools in spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "they hold it, or they do not")]
pub enum Content {
    /// Spans contain sizes and digests only.
    #[default]
    LeftOut,
    /// Spans also contain arguments, results and answers, up to 64 KiB each.
    Kept,
}

/// Attributes of a run that its events do not contain, and the settings for content and secrets.
///
/// ```
/// use windlass_telemetry::{Content, SpanOptions};
/// let options = SpanOptions::default().with_agent("reviewer").with_model("m-1").with_content(Content::Kept);
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
pub struct SpanOptions {
    pub(crate) agent: String,
    pub(crate) conversation: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) provider: Option<String>,
    pub(crate) content: Content,
    pub(crate) conventions: Conventions,
    pub(crate) redactor: Redactor,
}

impl Default for SpanOptions {
    /// Creates options for an agent named `windlass`, without content.
    fn default() -> Self {
        Self {
            agent: "windlass".to_owned(),
            conversation: None,
            model: None,
            provider: None,
            content: Content::default(),
            conventions: Conventions::default(),
            redactor: Redactor::default(),
        }
    }
}

impl SpanOptions {
    /// Sets the name of the agent.
    pub fn with_agent(mut self, name: impl Into<String>) -> Self {
        self.agent = name.into();
        self
    }

    /// Sets the conversation id, by which the spans of one run can be found, including those of processes
    /// that resume it.
    pub fn with_conversation(mut self, id: impl Into<String>) -> Self {
        self.conversation = Some(id.into());
        self
    }

    /// Sets the provider's name of the model.
    pub fn with_model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// Sets the provider's name in the conventions, such as `gcp.gemini`. `Vendors::otel_name` of `windlass-vendors`
    /// returns it for the name of a vendor.
    pub fn with_provider(mut self, name: impl Into<String>) -> Self {
        self.provider = Some(name.into());
        self
    }

    /// Sets whether spans contain text from models and tools.
    pub fn with_content(mut self, content: Content) -> Self {
        self.content = content;
        self
    }

    /// Sets the version of the GenAI conventions.
    pub fn with_conventions(mut self, conventions: Conventions) -> Self {
        self.conventions = conventions;
        self
    }

    /// Sets the secrets to remove from spans, for events that do not come from an agent with its own
    /// redactor.
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }
}
