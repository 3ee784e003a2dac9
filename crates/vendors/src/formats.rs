//! The wire formats: the only list of them outside of their crates.

use std::fmt;
use std::sync::{Arc, LazyLock};

use windlass_wire::{Server, Wire};
use windlass_wire_anthropic::{Anthropic, AnthropicOptions};
use windlass_wire_gemini::{Gemini, GeminiOptions};
use windlass_wire_openai_chat::{OpenAiChat, OpenAiChatOptions};
use windlass_wire_openai_responses::{OpenAiResponses, OpenAiResponsesOptions};

/// A wire format with both of its sides.
///
/// ```
/// use windlass_vendors::WireFormat;
/// let names: Vec<&str> = WireFormat::all().iter().map(WireFormat::name).collect();
/// assert_eq!(names, ["openai-chat", "openai-responses", "anthropic", "gemini"]);
/// assert_eq!(WireFormat::find("gemini").map(|format| format.vendor), Some("gemini"));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct WireFormat {
    /// Name for people.
    pub title: &'static str,
    /// Built-in vendor that defined the format.
    pub vendor: &'static str,
    /// Path at the end of the base URL that clients of the format are given.
    pub base_path: &'static str,
    /// The client's side: encodes requests and decodes answers.
    pub wire: Arc<dyn Wire>,
    /// The client's side with options under which a decoded request keeps the form that its client gave it.
    pub faithful: Arc<dyn Wire>,
    /// The provider's side: decodes requests and encodes answers.
    pub server: Arc<dyn Server>,
}

static FORMATS: LazyLock<[WireFormat; 4]> = LazyLock::new(|| {
    [
        WireFormat::new(
            "OpenAI Chat Completions and compatible APIs",
            "openai",
            "/v1",
            OpenAiChat::new(OpenAiChatOptions::as_given()),
        ),
        WireFormat::new(
            "OpenAI Responses",
            "openai",
            "/v1",
            OpenAiResponses::new(OpenAiResponsesOptions::as_given()),
        ),
        WireFormat::new("Anthropic Messages", "anthropic", "", Anthropic::new(AnthropicOptions::as_given())),
        WireFormat::new(
            "Google Gemini generateContent",
            "gemini",
            "/v1beta",
            Gemini::new(GeminiOptions::as_given()),
        ),
    ]
});

impl WireFormat {
    fn new<F: Wire + Server + Default + 'static>(
        title: &'static str,
        vendor: &'static str,
        base_path: &'static str,
        faithful: F,
    ) -> Self {
        let wire = Arc::new(F::default());
        Self { title, vendor, base_path, server: wire.clone(), wire, faithful: Arc::new(faithful) }
    }

    /// Returns all formats.
    pub fn all() -> &'static [Self] {
        FORMATS.as_slice()
    }

    /// Returns the format that a program uses if its user names none.
    pub fn default_format() -> &'static Self {
        let [first, ..] = &*FORMATS;
        first
    }

    /// Returns the format with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|format| format.name() == name)
    }

    /// Returns the name of the format, as vendor files and endpoints write it.
    pub fn name(&self) -> &'static str {
        self.wire.name()
    }
}

impl fmt::Debug for WireFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WireFormat").field(&self.name()).finish()
    }
}
