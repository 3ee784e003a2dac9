//! The export of spans.

use std::future::Future;
use std::time::Duration;

use anyhow::Context as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry::{Array, StringValue, Value};
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;

use super::sender::{Sender, connect};

/// Attributes that are lists. A field of `tracing` cannot be a list, so they arrive as JSON text.
const LISTS: [&str; 1] = ["gen_ai.response.finish_reasons"];

/// Creates the provider of spans that are sent to a collector.
pub(super) fn connect_provider(
    client: Sender,
    url: &str,
    resource: Resource,
) -> anyhow::Result<SdkTracerProvider> {
    let exporter = connect(SpanExporter::builder().with_http(), client, url)
        .build()
        .with_context(|| format!("spans cannot be sent to {url}"))?;
    Ok(SdkTracerProvider::builder().with_batch_exporter(Listing(exporter)).with_resource(resource).build())
}

/// Starts to collect the spans of runs. Spans of other crates are excluded, because they may contain any data.
pub(super) fn begin(client: Sender, url: &str, resource: Resource) -> anyhow::Result<SdkTracerProvider> {
    let provider = connect_provider(client, url, resource)?;
    let layer = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("windlass"))
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_tracked_inactivity(false);
    let runs = Targets::new().with_target("windlass_telemetry", LevelFilter::INFO);
    let subscriber = tracing_subscriber::registry().with(layer.with_filter(runs));
    tracing::subscriber::set_global_default(subscriber).context("a span collector is already installed")?;
    Ok(provider)
}

/// Exporter that converts list attributes from JSON text to arrays.
#[derive(Debug)]
struct Listing<E>(E);

impl<E: opentelemetry_sdk::trace::SpanExporter> opentelemetry_sdk::trace::SpanExporter for Listing<E> {
    fn export(&self, mut batch: Vec<SpanData>) -> impl Future<Output = OTelSdkResult> + Send {
        for attribute in batch.iter_mut().flat_map(|span| &mut span.attributes) {
            if LISTS.contains(&attribute.key.as_str())
                && let Ok(list) = serde_json::from_str::<Vec<String>>(&attribute.value.as_str())
            {
                let list = list.into_iter().map(StringValue::from).collect();
                attribute.value = Value::Array(Array::String(list));
            }
        }
        self.0.export(batch)
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.0.set_resource(resource);
    }
}
