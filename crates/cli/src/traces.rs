//! Export of a run's spans.

#[cfg(feature = "otlp")]
mod collector;

use windlass_app::WireFormat;
use windlass_app::providers::Provider;
use windlass_telemetry::{Content, SpanOptions, provider_name};

use crate::arguments::{Otlp, Reach};

/// Destination of spans, if one is configured.
pub(crate) struct Traces {
    content: Content,
    #[cfg(feature = "otlp")]
    collector: Option<collector::Collector>,
}

impl Traces {
    /// Starts to collect spans if the options or the environment name a collector.
    #[cfg(feature = "otlp")]
    pub(crate) fn begin(arguments: &Otlp, reach: &Reach) -> anyhow::Result<Self> {
        let collector = match collector::Collector::begin(arguments, reach) {
            // The environment's settings are meant for many programs and may not fit this one, so they only
            // cause a warning.
            Err(error) if arguments.url.is_none() => {
                crate::output::note(&format!("warning: no spans are sent: {error:#}"));
                None
            }
            begun => begun?,
        };
        Ok(Self { content: content(arguments), collector })
    }

    /// Collects no spans: this build has no exporter.
    #[cfg(not(feature = "otlp"))]
    pub(crate) fn begin(arguments: &Otlp, _: &Reach) -> anyhow::Result<Self> {
        anyhow::ensure!(
            arguments.url.is_none(),
            "this build cannot send spans; install one that can with `cargo install windlass-cli --features \
             otlp`"
        );
        Ok(Self { content: content(arguments) })
    }

    /// Returns the attributes of the spans of a run with this provider.
    pub(crate) fn options(&self, provider: &Provider) -> SpanOptions {
        let by_wire = provider.wire.map(WireFormat::vendor);
        let name = provider.name.as_deref().or(by_wire).unwrap_or(WireFormat::default().vendor());
        SpanOptions::default()
            .with_model(&provider.model)
            .with_provider(provider_name(name))
            .with_content(self.content)
    }

    /// Sends the remaining spans within a short time limit. Spans that cannot be sent are lost, with a
    /// warning.
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

fn content(arguments: &Otlp) -> Content {
    if arguments.content { Content::Kept } else { Content::LeftOut }
}
