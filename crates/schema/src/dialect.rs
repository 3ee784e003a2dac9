//! Dialects of JSON Schema that providers accept.

use std::fmt;

/// Dialect of JSON Schema that a provider accepts for a tool's parameters.
///
/// [`compile`](Self::compile) converts a tool's schema to a dialect and reports losses.
///
/// ```
/// use windlass_schema::Dialect;
/// assert_eq!(Dialect::ALL.len(), 8);
/// assert_eq!(Dialect::OpenAiStrict.to_string(), "openai-strict");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI functions with `strict: true` (structured outputs).
    OpenAiStrict,
    /// OpenAI functions without `strict`, and servers with a compatible API.
    OpenAi,
    /// Anthropic's `input_schema`.
    Anthropic,
    /// Gemini's `parameters`, a subset of `OpenAPI` 3.0.
    Gemini,
    /// Gemini's `parametersJsonSchema`.
    GeminiJsonSchema,
    /// Groq's functions.
    Groq,
    /// Mistral's functions.
    Mistral,
    /// llama.cpp's server, which converts the schema to a grammar.
    LlamaCpp,
}

impl Dialect {
    /// All dialects.
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

    /// Returns the name of the dialect in configuration files.
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

    /// Returns the dialect with a name, or `None` if the name is unknown.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
