//! The client: a request out, an answer in, and trying again where that may help.

use std::fmt;
use std::sync::Arc;

use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use rustls::{ClientConfig, RootCertStore};
use secrecy::SecretString;
use tokio::time::{Instant, sleep, timeout_at};
use windlass_model::{ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture};
use windlass_protocol::{Delivery, Request};
use windlass_wire::{HttpRequest, Wire};

use crate::answer;
use crate::failure::{Failures, request_id};
use crate::retry::{self, Attempt};
use crate::secret::Key;
use crate::{Auth, Endpoint, Options};

/// A provider over HTTP.
///
/// A request that is refused for now, or does not reach the provider, is sent again with growing waits; one that
/// is wrong is not. Nothing is sent again once content was handed out. Dropping the stream closes the
/// connection.
///
/// ```
/// use std::sync::Arc;
/// use windlass_client::{Client, Endpoint, Options};
/// use windlass_wire_openai_chat::OpenAiChat;
///
/// let endpoint = Endpoint::custom("http://localhost:8080/v1", "openai-chat");
/// let client = Client::new(endpoint, None, Arc::new(OpenAiChat::default()), Options::default())?;
/// # let _ = client;
/// # Ok::<(), windlass_client::ClientError>(())
/// ```
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    wire: Arc<dyn Wire>,
    failures: Failures,
    options: Options,
}

/// Why a client cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The address is not one.
    #[error("the address {base_url} is not an http or https address")]
    Address {
        /// The address.
        base_url: String,
    },
    /// The endpoint speaks another format.
    #[error("the endpoint speaks {endpoint}, the wire format is {wire}")]
    Wire {
        /// What the endpoint speaks.
        endpoint: String,
        /// What was given.
        wire: &'static str,
    },
    /// Encryption cannot be set up.
    #[error("encryption cannot be set up")]
    Tls(#[from] rustls::Error),
    /// The HTTP library refuses.
    #[error("the HTTP client cannot be made")]
    Http(#[from] reqwest::Error),
}

impl Client {
    /// A client for one endpoint. It reads no environment: proxies and keys come in here.
    ///
    /// # Errors
    /// If the address is not one, or the wire format is not the endpoint's.
    pub fn new(
        endpoint: Endpoint,
        key: Option<SecretString>,
        wire: Arc<dyn Wire>,
        options: Options,
    ) -> Result<Self, ClientError> {
        let is_address = ["http://", "https://"].iter().any(|scheme| endpoint.base_url.starts_with(scheme));
        if !is_address || endpoint.host().is_empty() {
            return Err(ClientError::Address { base_url: endpoint.base_url });
        }
        if endpoint.wire != wire.name() {
            return Err(ClientError::Wire { endpoint: endpoint.wire, wire: wire.name() });
        }
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls()?)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(options.connect_timeout)
            .build()?;
        Ok(Self { http, wire, failures: Failures { endpoint, key: Key::new(key) }, options })
    }

    async fn answer(&self, request: &Request) -> Result<ChunkStream, ModelError> {
        let http = self
            .wire
            .encode(request)
            .map_err(|error| self.failures.of(ModelErrorKind::Refused, &error.to_string()))?;
        let deadline = retry::after(Instant::now(), self.options.total_timeout);
        let response = self.send_until(&http, request.delivery, deadline).await?;
        let reading = answer::Reading {
            wire: self.wire.clone(),
            failures: self.failures.clone(),
            options: self.options,
            request_id: request_id(response.headers()),
            deadline,
        };
        if request.delivery == Delivery::Whole || is_json(response.headers()) {
            return reading.whole(response).await;
        }
        Ok(reading.stream(response))
    }

    /// Sends, and sends again where that may help, until the answer's time would be over.
    async fn send_until(
        &self,
        http: &HttpRequest,
        delivery: Delivery,
        deadline: Instant,
    ) -> Result<Response, ModelError> {
        let mut waits = retry::waits(&self.options);
        let mut attempts = 1_usize;
        loop {
            let failed = match self.send(http, delivery, deadline).await {
                Ok(response) => return Ok(response),
                Err(failed) => failed,
            };
            // The provider knows best how long to wait.
            let backoff = if failed.is_worth_another() { waits.next() } else { None };
            let Some(wait) = backoff.and_then(|backoff| failed.wait(backoff, deadline)) else {
                return Err(given_up(failed.error, attempts));
            };
            sleep(wait).await;
            attempts = attempts.saturating_add(1);
        }
    }

    /// Sends once and looks at the status.
    async fn send(
        &self,
        http: &HttpRequest,
        delivery: Delivery,
        deadline: Instant,
    ) -> Result<Response, Attempt> {
        let sending = self
            .http
            .post(self.failures.endpoint.url(&http.path))
            .headers(self.headers(http)?)
            .body(http.body.clone())
            .send();
        let idle_at = match delivery {
            Delivery::Stream => retry::after(Instant::now(), self.options.idle_timeout),
            // A whole answer begins when it is all made: until then nothing is what is to be expected.
            Delivery::Whole => deadline,
        };
        let response = timeout_at(idle_at.min(deadline), sending)
            .await
            .map_err(|_| {
                if idle_at < deadline {
                    answer::idle(&self.failures, self.options.idle_timeout)
                } else {
                    answer::total(&self.failures, self.options.total_timeout)
                }
            })?
            .map_err(|error| self.failures.transport(&error, self.options.connect_timeout))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let headers = response.headers().clone();
        let until = retry::after(Instant::now(), self.options.idle_timeout).min(deadline);
        let body = self.failures.key.redact_bytes(answer::refusal_body(response, until).await);
        let error = self.wire.decode_error(status.as_u16(), &body);
        let error = self.failures.refusal(status.as_u16(), &headers, &error);
        Err(Attempt { error, status: Some(status.as_u16()) })
    }

    fn headers(&self, http: &HttpRequest) -> Result<HeaderMap, ModelError> {
        let endpoint = &self.failures.endpoint;
        let mut headers = HeaderMap::new();
        for (name, value) in http.headers.iter().chain(&endpoint.headers) {
            headers.insert(self.name(name)?, self.value(name, value)?);
        }
        if let Some(key) = self.failures.key.expose() {
            let (name, value) = match &endpoint.auth {
                Auth::Bearer => ("authorization", format!("Bearer {key}")),
                Auth::Header(name) => (name.as_str(), key.to_owned()),
                Auth::None => return Ok(headers),
            };
            let mut value = self.value(name, &value)?;
            value.set_sensitive(true);
            headers.insert(self.name(name)?, value);
        }
        Ok(headers)
    }

    fn name(&self, name: &str) -> Result<HeaderName, ModelError> {
        name.parse().map_err(|_| {
            self.failures.of(ModelErrorKind::Configuration, &format!("{name:?} is not the name of a header"))
        })
    }

    fn value(&self, name: &str, value: &str) -> Result<HeaderValue, ModelError> {
        HeaderValue::from_str(value).map_err(|_| {
            let text = format!("the value of the header {name} has characters that no header can carry");
            self.failures.of(ModelErrorKind::Configuration, &text)
        })
    }
}

impl Model for Client {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(self.answer(request))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("endpoint", &self.failures.endpoint.name).finish_non_exhaustive()
    }
}

fn given_up(mut error: ModelError, attempts: usize) -> ModelError {
    if attempts > 1 {
        error.message = format!("{} (given up after {attempts} attempts)", error.message);
    }
    error
}

/// Encryption by ring with the roots that browsers trust, without touching the process's default.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// Whether a server gave a whole body where a stream was asked for.
fn is_json(headers: &HeaderMap) -> bool {
    let text = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    text.trim_start().to_ascii_lowercase().starts_with("application/json")
}
