//! The options that export the spans of a run.

use clap::Args;

/// Options of the span collector. Without one, no spans are recorded.
#[derive(Debug, Args)]
pub(crate) struct Otlp {
    /// URL of an OpenTelemetry collector that gets the spans of the run by OTLP over HTTP, such as
    /// `http://localhost:4318`. The default is `OTEL_EXPORTER_OTLP_ENDPOINT`. The spans do not contain
    /// arguments, results or responses. Requires a build with the feature `otlp`.
    #[arg(long = "otlp", value_name = "URL", id = "otlp_url")]
    pub(crate) url: Option<String>,
    /// Include arguments, results and responses in the spans, with known secrets removed.
    #[arg(long = "otlp-content")]
    pub(crate) content: bool,
}
