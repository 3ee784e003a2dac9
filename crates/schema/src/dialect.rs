//! The dialects of JSON Schema that providers take.

use std::fmt;

/// What a provider takes as the schema of a tool's parameters.
///
/// ```
/// use windlass_schema::Dialect;
/// assert_eq!(Dialect::ALL.len(), 8);
/// assert_eq!(Dialect::OpenAiStrict.to_string(), "openai-strict");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI functions with `strict: true`: structured outputs.
    OpenAiStrict,
    /// OpenAI functions without, and servers that copy them.
    OpenAi,
    /// Anthropic's `input_schema`.
    Anthropic,
    /// Gemini's `parameters`: its own subset of `OpenAPI` 3.0.
    Gemini,
    /// Gemini's `parametersJsonSchema`.
    GeminiJsonSchema,
    /// Groq's functions.
    Groq,
    /// Mistral's functions.
    Mistral,
    /// llama.cpp's server, which makes a grammar of the schema.
    LlamaCpp,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::OpenAiStrict,
        Self::OpenAi,
        Self::Anthropic,
        Self::Gemini,
        Self::GeminiJsonSchema,
        Self::Groq,
        Self::Mistral,
        Self::LlamaCpp,
    ];

    /// The name in configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAiStrict => "openai-strict",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::GeminiJsonSchema => "gemini-json-schema",
            Self::Groq => "groq",
            Self::Mistral => "mistral",
            Self::LlamaCpp => "llama-cpp",
        }
    }

    /// The dialect of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
