//! What the spans of a run say besides what its events tell.

use windlass_redact::Redactor;

/// Whether spans hold what models and tools said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "they hold it, or they do not")]
pub enum Content {
    /// Sizes and digests only.
    #[default]
    LeftOut,
    /// Also arguments, results and answers, up to 64 KiB each.
    Kept,
}

/// What the spans of a run say besides what its events tell.
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
    pub(crate) redactor: Redactor,
}

impl Default for SpanOptions {
    /// An agent of the name `windlass`, without content.
    fn default() -> Self {
        Self {
            agent: "windlass".to_owned(),
            conversation: None,
            model: None,
            provider: None,
            content: Content::default(),
            redactor: Redactor::default(),
        }
    }
}

impl SpanOptions {
    /// The same with the agent's name.
    pub fn with_agent(mut self, name: impl Into<String>) -> Self {
        self.agent = name.into();
        self
    }

    /// The same with the id by which the spans of one run are found, also those of processes that go on with it.
    pub fn with_conversation(mut self, id: impl Into<String>) -> Self {
        self.conversation = Some(id.into());
        self
    }

    /// The same with the provider's name of the model.
    pub fn with_model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// The same with the provider; [`provider_name`] knows how the conventions call it.
    pub fn with_provider(mut self, name: impl Into<String>) -> Self {
        self.provider = Some(name.into());
        self
    }

    /// The same with a word on content.
    pub fn with_content(mut self, content: Content) -> Self {
        self.content = content;
        self
    }

    /// The same with secrets that no span may hold, for events that do not come from an agent that has them.
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }
}

/// How the conventions call a provider that windlass knows by a name; others keep theirs.
///
/// ```
/// use windlass_telemetry::provider_name;
/// assert_eq!(provider_name("gemini"), "gcp.gemini");
/// assert_eq!(provider_name("openrouter"), "openrouter");
/// ```
pub fn provider_name(name: &str) -> &str {
    match name {
        "azure" | "azure-openai" => "azure.ai.openai",
        "bedrock" => "aws.bedrock",
        "gemini" | "google" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "moonshot" => "moonshot_ai",
        "openai-chat" | "openai-responses" => "openai",
        "vertex" => "gcp.vertex_ai",
        "xai" => "x_ai",
        other => other,
    }
}
