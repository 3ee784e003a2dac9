//! The export of metrics.

use anyhow::Context as _;
use opentelemetry_otlp::MetricExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};

use super::sender::{Sender, connect};

/// Starts to collect metrics. They are sent each minute (`OTEL_METRIC_EXPORT_INTERVAL`, in milliseconds), and at
/// the end.
pub(super) fn begin(client: Sender, url: &str, resource: Resource) -> anyhow::Result<SdkMeterProvider> {
    let exporter = connect(MetricExporter::builder().with_http(), client, url)
        .build()
        .with_context(|| format!("metrics cannot be sent to {url}"))?;
    let reader = PeriodicReader::builder(exporter).build();
    Ok(SdkMeterProvider::builder().with_reader(reader).with_resource(resource).build())
}
