//! The options that export spans and metrics.

use clap::Args;

/// Options of the collector of spans and metrics. Without one, nothing is recorded.
#[derive(Debug, Args)]
pub(crate) struct Otlp {
    /// URL of an OpenTelemetry collector that gets spans and metrics by OTLP over HTTP, such as
    /// `http://localhost:4318`. The default is `OTEL_EXPORTER_OTLP_ENDPOINT`. They do not contain arguments,
    /// results or responses. Requires a build with the feature `otlp`.
    #[arg(long = "otlp", value_name = "URL", id = "otlp_url")]
    pub(crate) url: Option<String>,
    /// Include arguments, results and responses in the spans, with known secrets removed.
    #[arg(long = "otlp-content")]
    pub(crate) content: bool,
}
