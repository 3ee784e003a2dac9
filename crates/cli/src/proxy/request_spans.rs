//! The export of spans of the gateway's requests.

use std::sync::Arc;

use windlass_app::App;
use windlass_gateway::{Front, RequestTracer};

use crate::arguments::Proxy;
use crate::telemetry::RequestSpans;

/// The tracer of a gateway, if a collector is configured. A configuration that is read again keeps it.
#[derive(Clone, Default)]
pub(super) struct FrontTracer(Option<Arc<dyn RequestTracer>>);

impl FrontTracer {
    pub(super) fn add_to(&self, front: Front) -> Front {
        match &self.0 {
            Some(tracer) => front.with_tracer(Arc::clone(tracer)),
            None => front,
        }
    }
}

/// Starts the export that the options name.
pub(super) fn begin(arguments: &Proxy, app: &App) -> anyhow::Result<(RequestSpans, FrontTracer)> {
    let spans = RequestSpans::begin(arguments.otlp.as_deref(), &arguments.reach, app)?;
    let tracer = FrontTracer(spans.tracer());
    Ok((spans, tracer))
}
