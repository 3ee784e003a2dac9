//! Where the spans of a run go.

use clap::Args;

/// A collector of spans; without one nothing is gathered.
#[derive(Debug, Args)]
pub(crate) struct Otlp {
    /// Send spans of the run to an OpenTelemetry collector by OTLP over HTTP, as `http://localhost:4318`; else
    /// `OTEL_EXPORTER_OTLP_ENDPOINT` says where. They have no arguments, results and answers in them. Only in a build with
    /// the feature `otlp`.
    #[arg(long = "otlp", value_name = "URL", id = "otlp_url")]
    pub(crate) url: Option<String>,
    /// Put arguments, results and answers into the spans, without known secrets.
    #[arg(long = "otlp-content")]
    pub(crate) content: bool,
}
