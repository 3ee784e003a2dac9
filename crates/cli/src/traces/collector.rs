//! Exports spans to a collector with OTLP, as protobuf over HTTP.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use futures_util::StreamExt;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry::{Array, KeyValue, StringValue, Value};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData};
use tokio::runtime::Handle;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use windlass_app::variable;
use windlass_client::{Header, HttpTransport, Transport, TransportRequest};

use crate::arguments::{Otlp, Reach};
use crate::output;

/// Time limit for one batch, including retries.
const BATCH: Duration = Duration::from_secs(3);
/// Time limit for the last batches at the end of a run.
const FLUSH: Duration = Duration::from_secs(4);
/// Maximum number of bytes that are read from a collector's response.
const MAX_ANSWER: usize = 64 * 1024;
/// Path of the traces endpoint below a collector's address.
const PATH: &str = "/v1/traces";
/// Attributes that are lists. A field of `tracing` cannot be a list, so they arrive as JSON text.
const LISTS: [&str; 1] = ["gen_ai.response.finish_reasons"];

/// The connection to a collector, with the provider of the spans.
pub(super) struct Collector {
    provider: SdkTracerProvider,
    url: String,
    trouble: Trouble,
}

/// Reason why the newest batch failed, if it did.
type Trouble = Arc<Mutex<Option<String>>>;

impl Collector {
    /// Starts to collect the spans of runs. Spans of other crates are excluded, because they may contain any
    /// data.
    pub(super) fn begin(arguments: &Otlp, reach: &Reach) -> anyhow::Result<Option<Self>> {
        let Some(url) = address(arguments) else { return Ok(None) };
        let trouble = Trouble::default();
        let client = Sender {
            transport: Arc::new(HttpTransport::new(&reach.options().http()?.with_connect_timeout(BATCH))?),
            runtime: Handle::current(),
            trouble: Arc::clone(&trouble),
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_endpoint(&url)
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(BATCH)
            .build()
            .with_context(|| format!("spans cannot be sent to {url}"))?;
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(Listing(exporter))
            .with_resource(resource())
            .build();
        let layer = tracing_opentelemetry::layer()
            .with_tracer(provider.tracer("windlass"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false);
        let runs = Targets::new().with_target("windlass_telemetry", LevelFilter::INFO);
        let subscriber = tracing_subscriber::registry().with(layer.with_filter(runs));
        tracing::subscriber::set_global_default(subscriber)
            .context("a span collector is already installed")?;
        Ok(Some(Self { provider, url, trouble }))
    }

    /// Sends the remaining spans. Stops waiting after `FLUSH` or at Ctrl-C.
    pub(super) async fn end(self) {
        let Self { provider, url, trouble } = self;
        let flush = tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(FLUSH));
        let is_late = tokio::select! {
            ended = tokio::time::timeout(FLUSH, flush) => ended.is_err(),
            _ = tokio::signal::ctrl_c() => true,
        };
        let trouble = trouble.lock().unwrap_or_else(PoisonError::into_inner).take();
        let trouble = trouble.or(is_late.then(|| "no response arrived in time".to_owned()));
        if let Some(trouble) = trouble {
            output::note(&format!("warning: spans were not accepted by {url}: {trouble}"));
        }
    }
}

/// Returns the endpoint for spans, from the options or from the variables of OpenTelemetry's exporter
/// specification.
fn address(arguments: &Otlp) -> Option<String> {
    let below = |base: &String| {
        let base = base.trim_end_matches('/');
        if base.ends_with(PATH) { base.to_owned() } else { format!("{base}{PATH}") }
    };
    if let Some(base) = &arguments.url {
        return Some(below(base));
    }
    let is_off = variable("OTEL_SDK_DISABLED").is_some_and(|word| word.eq_ignore_ascii_case("true"))
        || variable("OTEL_TRACES_EXPORTER").is_some_and(|exporter| exporter != "otlp");
    if is_off {
        return None;
    }
    variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        .or_else(|| variable("OTEL_EXPORTER_OTLP_ENDPOINT").as_ref().map(below))
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

/// HTTP client that uses the same proxy and authorities as all other requests. Batches come from a thread
/// outside of the runtime, so a task in the runtime sends each one.
struct Sender {
    transport: Arc<HttpTransport>,
    runtime: Handle,
    trouble: Trouble,
}

impl std::fmt::Debug for Sender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl HttpClient for Sender {
    fn send_bytes<'s, 'f>(
        &'s self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'f>>
    where
        's: 'f,
        Self: 'f,
    {
        let transport = Arc::clone(&self.transport);
        let sending = self.runtime.spawn(async move {
            let late = |_| HttpError::from("no response arrived in time");
            tokio::time::timeout(BATCH, send(&transport, request)).await.map_err(late)?
        });
        Box::pin(async move {
            let answer = sending.await.map_err(HttpError::from).flatten();
            let trouble = match &answer {
                Ok(answer) if answer.status().is_success() => None,
                Ok(answer) => Some(format!("it answered {}", answer.status())),
                Err(error) => Some(error.to_string()),
            };
            *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
            answer
        })
    }
}

async fn send(transport: &HttpTransport, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let (head, body) = request.into_parts();
    let mut outgoing = TransportRequest::post(head.uri.to_string(), body);
    for (name, value) in &head.headers {
        let mut header = Header::new(name.as_str(), value.to_str()?);
        // `OTEL_EXPORTER_OTLP_HEADERS` can contain keys under any name.
        header.is_secret |= name.as_str() != "content-type";
        outgoing = outgoing.with_header(header);
    }
    let mut incoming = transport.send(outgoing).await?;
    let mut answer = Vec::new();
    while let Some(bytes) = incoming.body.next().await {
        let bytes = bytes?;
        let room = MAX_ANSWER.saturating_sub(answer.len());
        answer.extend(bytes.iter().take(room));
        if answer.len() >= MAX_ANSWER {
            break;
        }
    }
    let mut response = Response::builder().status(incoming.status);
    for (name, value) in incoming.headers.iter().filter(|(name, _)| name == "retry-after") {
        response = response.header(name, value);
    }
    Ok(response.body(answer.into())?)
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
