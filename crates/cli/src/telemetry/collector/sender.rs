//! The HTTP client of the exporters.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, WithExportConfig, WithHttpConfig};
use tokio::runtime::Handle;
use windlass_client::{Header, HttpTransport, Transport, TransportRequest};

/// Time limit for one batch, including retries.
pub(super) const BATCH: Duration = Duration::from_secs(3);
/// Maximum number of bytes that are read from a collector's response.
const MAX_ANSWER: usize = 64 * 1024;

/// Reason why the newest batch failed, if it did.
#[derive(Clone, Debug, Default)]
pub(super) struct Trouble(Arc<Mutex<Option<String>>>);

impl Trouble {
    pub(super) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set(&self, reason: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }
}

/// Sets the address and the client of an exporter.
pub(super) fn connect<B: WithExportConfig + WithHttpConfig>(exporter: B, client: Sender, url: &str) -> B {
    exporter
        .with_http_client(client)
        .with_endpoint(url)
        .with_protocol(Protocol::HttpBinary)
        .with_timeout(BATCH)
}

/// HTTP client that uses the same proxy and authorities as all other requests. Batches come from a thread
/// outside of the runtime, so a task in the runtime sends each one.
#[derive(Clone)]
pub(super) struct Sender {
    pub(super) transport: Arc<HttpTransport>,
    pub(super) runtime: Handle,
    pub(super) trouble: Trouble,
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
            self.trouble.set(trouble);
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
