//! The versions of the GenAI conventions.

/// The value of `OTEL_SEMCONV_STABILITY_OPT_IN` that selects the newest conventions.
const NEWEST: &str = "gen_ai_latest_experimental";

/// The version of OpenTelemetry's GenAI conventions that spans and metrics follow.
///
/// The conventions are not stable. Since 1.42 they are in a repository of their own
/// (`semantic-conventions-genai`), whose names differ; a program selects them with the variable
/// `OTEL_SEMCONV_STABILITY_OPT_IN`.
///
/// | | 1.41 | newest |
/// |---|---|---|
/// | tokens | histogram `gen_ai.client.token.usage` | counters `gen_ai.client.inference.usage.*`, histograms `gen_ai.client.inference.operation.*` |
/// | request | histogram `gen_ai.client.operation.duration` | histogram `gen_ai.client.inference.duration` |
/// | call | | histogram `gen_ai.execute_tool.duration` |
/// | run | | histogram `gen_ai.invoke_agent.duration` |
/// | cached tokens of a span | `gen_ai.usage.cache_creation.input_tokens` | `gen_ai.usage.cache_write.input_tokens` |
///
/// ```
/// use windlass_telemetry::Conventions;
/// assert_eq!(Conventions::from_opt_in(""), Conventions::V1_41);
/// assert_eq!(Conventions::from_opt_in("http, gen_ai_latest_experimental"), Conventions::Newest);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conventions {
    /// Version 1.41, the last one of the main repository.
    #[default]
    V1_41,
    /// The newest version that this crate supports: `semantic-conventions-genai` of October 2026.
    Newest,
}

impl Conventions {
    /// Parses the value of `OTEL_SEMCONV_STABILITY_OPT_IN`, a list with commas. Values of other conventions
    /// are ignored.
    pub fn from_opt_in(value: &str) -> Self {
        if value.split(',').any(|word| word.trim() == NEWEST) { Self::Newest } else { Self::V1_41 }
    }
}
