//! Exports spans and metrics to a collector with OTLP, as protobuf over HTTP.

mod metrics;
mod sender;
mod spans;

use std::sync::Arc;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Handle;
use windlass_app::variable;
use windlass_client::HttpTransport;
use windlass_telemetry::Metrics;

use self::sender::{BATCH, Sender, Trouble};
use crate::arguments::{Otlp, Reach};
use crate::output;

/// Time limit for the last batches at the end of a run.
const FLUSH: Duration = Duration::from_secs(4);

/// A kind of data for a collector, with its names in the exporter specification of OpenTelemetry.
struct Signal {
    /// The part of the names of environment variables.
    word: &'static str,
    /// The path of the endpoint below a collector's address.
    path: &'static str,
}

const SPANS: Signal = Signal { word: "TRACES", path: "/v1/traces" };
const METRICS: Signal = Signal { word: "METRICS", path: "/v1/metrics" };

/// The connection to a collector, with the providers of the spans and the metrics that are sent.
pub(super) struct Collector {
    spans: Option<Export<SdkTracerProvider>>,
    metrics: Option<(Export<SdkMeterProvider>, Metrics)>,
}

/// The spans of a gateway's requests, on their way to a collector.
#[cfg(feature = "gateway")]
pub(super) struct RequestExport(Export<SdkTracerProvider>);

#[cfg(feature = "gateway")]
impl RequestExport {
    /// Starts to collect spans, if the options or the environment name a collector.
    pub(super) fn begin(arguments: &Otlp, reach: &Reach) -> anyhow::Result<Option<Self>> {
        let Some(url) = SPANS.address(arguments) else { return Ok(None) };
        let transport = Arc::new(HttpTransport::new(&reach.options().http()?.with_connect_timeout(BATCH))?);
        let export = Export::begin(url, |url, trouble| {
            let sender = Sender { transport, runtime: Handle::current(), trouble: trouble.clone() };
            spans::connect_provider(sender, url, resource())
        })?;
        Ok(Some(Self(export)))
    }

    pub(super) fn tracer(&self) -> opentelemetry_sdk::trace::SdkTracer {
        use opentelemetry::trace::TracerProvider as _;
        self.0.provider.tracer("windlass")
    }

    /// Sends the remaining spans.
    pub(super) async fn end(self) {
        self.0.end("spans", |provider| drop(provider.shutdown_with_timeout(FLUSH))).await;
    }
}

/// The export of one signal.
struct Export<P> {
    provider: P,
    url: String,
    trouble: Trouble,
}

impl Collector {
    /// Starts to collect spans and metrics, if the options or the environment name a collector of them.
    pub(super) fn begin(arguments: &Otlp, reach: &Reach) -> anyhow::Result<Option<Self>> {
        let (spans, metrics) = (SPANS.address(arguments), METRICS.address(arguments));
        if spans.is_none() && metrics.is_none() {
            return Ok(None);
        }
        let transport = Arc::new(HttpTransport::new(&reach.options().http()?.with_connect_timeout(BATCH))?);
        let resource = resource();
        let client = |trouble: &Trouble| {
            let (transport, runtime) = (Arc::clone(&transport), Handle::current());
            Sender { transport, runtime, trouble: trouble.clone() }
        };
        let spans = spans
            .map(|url| {
                Export::begin(url, |url, trouble| spans::begin(client(trouble), url, resource.clone()))
            })
            .transpose()?;
        let metrics = metrics
            .map(|url| {
                Export::begin(url, |url, trouble| metrics::begin(client(trouble), url, resource.clone()))
            })
            .transpose()?
            .map(|export| {
                let metrics =
                    Metrics::with_conventions(&export.provider.meter("windlass"), super::conventions());
                (export, metrics)
            });
        Ok(Some(Self { spans, metrics }))
    }

    /// Returns the instruments of this process, if metrics are sent.
    pub(super) fn metrics(&self) -> Option<Metrics> {
        self.metrics.as_ref().map(|(_, metrics)| metrics.clone())
    }

    /// Sends the remaining spans and metrics. Stops waiting after `FLUSH` or at Ctrl-C.
    pub(super) async fn end(self) {
        let Self { spans, metrics } = self;
        let spans = async {
            if let Some(export) = spans {
                export.end("spans", |provider| drop(provider.shutdown_with_timeout(FLUSH))).await;
            }
        };
        let metrics = async {
            if let Some((export, _)) = metrics {
                export.end("metrics", |provider| drop(provider.shutdown_with_timeout(FLUSH))).await;
            }
        };
        tokio::join!(spans, metrics);
    }
}

impl<P: Send + 'static> Export<P> {
    fn begin(url: String, begin: impl FnOnce(&str, &Trouble) -> anyhow::Result<P>) -> anyhow::Result<Self> {
        let trouble = Trouble::default();
        let provider = begin(&url, &trouble)?;
        Ok(Self { provider, url, trouble })
    }

    async fn end(self, what: &str, shut_down: impl FnOnce(P) + Send + 'static) {
        let Self { provider, url, trouble } = self;
        let flush = tokio::task::spawn_blocking(move || shut_down(provider));
        let is_late = tokio::select! {
            ended = tokio::time::timeout(FLUSH, flush) => ended.is_err(),
            _ = tokio::signal::ctrl_c() => true,
        };
        let trouble = trouble.take().or(is_late.then(|| "no response arrived in time".to_owned()));
        if let Some(trouble) = trouble {
            output::note(&format!("warning: {what} were not accepted by {url}: {trouble}"));
        }
    }
}

impl Signal {
    /// Returns the endpoint for the signal, from the options or from the variables of OpenTelemetry's exporter
    /// specification.
    fn address(&self, arguments: &Otlp) -> Option<String> {
        let below = |base: &String| {
            // The address of another signal's endpoint names the same collector.
            let base = base.trim_end_matches('/');
            let others = [SPANS.path, METRICS.path];
            let base = others.iter().find_map(|path| base.strip_suffix(path)).unwrap_or(base);
            format!("{base}{}", self.path)
        };
        if let Some(base) = &arguments.url {
            return Some(below(base));
        }
        let is_off = variable("OTEL_SDK_DISABLED").is_some_and(|word| word.eq_ignore_ascii_case("true"))
            || variable(format!("OTEL_{}_EXPORTER", self.word)).is_some_and(|exporter| exporter != "otlp");
        if is_off {
            return None;
        }
        variable(format!("OTEL_EXPORTER_OTLP_{}_ENDPOINT", self.word))
            .or_else(|| variable("OTEL_EXPORTER_OTLP_ENDPOINT").as_ref().map(below))
    }
}

/// Returns the resource attributes. A service name from the environment has precedence over `windlass`.
fn resource() -> Resource {
    let mut resource =
        Resource::builder().with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    let attributes = variable("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    if variable("OTEL_SERVICE_NAME").is_none() && !attributes.contains("service.name=") {
        resource = resource.with_service_name("windlass");
    }
    resource.build()
}
