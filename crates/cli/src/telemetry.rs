//! Export of the spans and metrics of runs.

#[cfg(feature = "otlp")]
mod collector;

use futures_util::Stream;
use windlass_agent::{AgentError, Event, Prices};
use windlass_app::providers::Provider;
use windlass_app::{App, WireFormat};
use windlass_telemetry::{Content, Conventions, SpanOptions, trace_events};
use windlass_vendors::Vendors;

use crate::arguments::{Otlp, Reach};

/// Destination of spans and metrics, if one is configured.
pub(crate) struct Telemetry {
    content: Content,
    vendors: Vendors,
    #[cfg(feature = "otlp")]
    collector: Option<collector::Collector>,
}

impl Telemetry {
    /// Starts to collect spans and metrics if the options or the environment name a collector.
    #[cfg(feature = "otlp")]
    pub(crate) fn begin(arguments: &Otlp, reach: &Reach, app: &App) -> anyhow::Result<Self> {
        let collector = match collector::Collector::begin(arguments, reach) {
            // The environment's settings are meant for many programs. If they do not fit this one, they only cause a
            // warning.
            Err(error) if arguments.url.is_none() => {
                crate::output::note(&format!("warning: no spans and metrics are sent: {error:#}"));
                None
            }
            begun => begun?,
        };
        Ok(Self { content: content(arguments), vendors: load_vendors(reach, app), collector })
    }

    /// Refuses a collector, because this build lacks the exporter.
    #[cfg(not(feature = "otlp"))]
    pub(crate) fn begin(arguments: &Otlp, reach: &Reach, app: &App) -> anyhow::Result<Self> {
        anyhow::ensure!(
            arguments.url.is_none(),
            "this build cannot send spans and metrics; install one that can with `cargo install windlass-cli --features \
             otlp`"
        );
        Ok(Self { content: content(arguments), vendors: load_vendors(reach, app) })
    }

    /// Wraps the events of a run so that its spans and metrics are recorded.
    pub(crate) fn observe<S>(
        &self,
        events: S,
        provider: &Provider,
        prices: Prices,
        run: &str,
    ) -> impl Stream<Item = S::Item> + Unpin + use<S>
    where
        S: Stream<Item = Result<Event, AgentError>> + Unpin,
    {
        let options = SpanOptions::default()
            .with_model(&provider.model)
            .with_provider(self.name_of(provider))
            .with_content(self.content)
            .with_conventions(conventions())
            .with_conversation(run);
        let events = trace_events(events, &options);
        #[cfg(feature = "otlp")]
        let events = windlass_telemetry::measure_events(events, self.metrics(provider, prices).as_ref());
        #[cfg(not(feature = "otlp"))]
        let _ = prices;
        events
    }

    /// Returns the metrics of runs with this provider and these prices, if a collector takes them.
    #[cfg(feature = "otlp")]
    pub(crate) fn metrics(&self, provider: &Provider, prices: Prices) -> Option<windlass_telemetry::Metrics> {
        let metrics = self.collector.as_ref()?.metrics()?;
        Some(metrics.with_model(&provider.model).with_provider(self.name_of(provider)).with_prices(prices))
    }

    /// Returns the provider's name in the conventions.
    fn name_of<'a>(&'a self, provider: &'a Provider) -> &'a str {
        let by_wire = provider.wire.map(WireFormat::vendor);
        let name = provider.name.as_deref().or(by_wire).unwrap_or(WireFormat::default().vendor());
        self.vendors.otel_name(name)
    }

    /// Counts a run that another process has taken over.
    #[cfg_attr(
        not(feature = "otlp"),
        expect(clippy::unused_self, reason = "a build with the feature has metrics here")
    )]
    pub(crate) fn record_lost_lease(&self) {
        #[cfg(feature = "otlp")]
        if let Some(metrics) = self.collector.as_ref().and_then(collector::Collector::metrics) {
            metrics.record_lost_lease();
        }
    }

    /// Sends the remaining spans and metrics within a short time limit. Values that cannot be sent are lost, with
    /// a warning.
    #[cfg_attr(
        not(feature = "otlp"),
        expect(clippy::unused_async, reason = "a build with the feature waits here")
    )]
    pub(crate) async fn end(self) {
        #[cfg(feature = "otlp")]
        if let Some(collector) = self.collector {
            collector.end().await;
        }
    }
}

/// The spans of a gateway's requests, if a collector is configured.
#[cfg(feature = "gateway")]
pub(crate) struct RequestSpans {
    #[cfg(feature = "otlp")]
    export: Option<collector::RequestExport>,
    #[cfg(feature = "otlp")]
    vendors: std::sync::Arc<Vendors>,
}

#[cfg(feature = "gateway")]
impl RequestSpans {
    /// Starts to collect spans if the address or the environment names a collector.
    #[cfg(feature = "otlp")]
    pub(crate) fn begin(url: Option<&str>, reach: &Reach, app: &App) -> anyhow::Result<Self> {
        let arguments = Otlp { url: url.map(str::to_owned), content: false };
        let export = match collector::RequestExport::begin(&arguments, reach) {
            Err(error) if url.is_none() => {
                crate::output::note(&format!("warning: no spans are sent: {error:#}"));
                None
            }
            begun => begun?,
        };
        Ok(Self { export, vendors: load_vendors(reach, app).into() })
    }

    /// Refuses a collector, because this build lacks the exporter.
    #[cfg(not(feature = "otlp"))]
    pub(crate) fn begin(url: Option<&str>, _: &Reach, _: &App) -> anyhow::Result<Self> {
        anyhow::ensure!(
            url.is_none(),
            "this build cannot send spans; install one that can with `cargo install windlass-cli --features otlp`"
        );
        Ok(Self {})
    }

    /// Returns the tracer of the gateway.
    #[cfg_attr(
        not(feature = "otlp"),
        expect(clippy::unused_self, reason = "a build with the feature has an export here")
    )]
    pub(crate) fn tracer(&self) -> Option<std::sync::Arc<dyn windlass_gateway::RequestTracer>> {
        #[cfg(feature = "otlp")]
        if let Some(export) = &self.export {
            let tracer = crate::proxy::GatewayTracer::new(export.tracer(), self.vendors.clone());
            return Some(std::sync::Arc::new(tracer));
        }
        None
    }

    /// Sends the remaining spans within a short time limit.
    #[cfg_attr(
        not(feature = "otlp"),
        expect(clippy::unused_async, reason = "a build with the feature waits here")
    )]
    pub(crate) async fn end(self) {
        #[cfg(feature = "otlp")]
        if let Some(export) = self.export {
            export.end().await;
        }
    }
}

/// Returns the vendors with those of the user's file. The run itself reports a file that cannot be read.
fn load_vendors(reach: &Reach, app: &App) -> Vendors {
    reach.options().vendors(app).unwrap_or_else(|_| Vendors::builtin())
}

/// Returns the conventions that the environment selects.
fn conventions() -> Conventions {
    Conventions::from_opt_in(&std::env::var("OTEL_SEMCONV_STABILITY_OPT_IN").unwrap_or_default())
}

fn content(arguments: &Otlp) -> Content {
    if arguments.content { Content::Kept } else { Content::LeftOut }
}
