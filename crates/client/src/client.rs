//! The client: a request out, an answer in, and trying again where that may help.

use std::fmt;
use std::sync::Arc;

use secrecy::SecretString;
use tokio::time::{Instant, sleep, timeout_at};
use windlass_model::{ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture};
use windlass_protocol::{Delivery, Refusal, Request};
use windlass_wire::{HttpRequest, Wire};

use crate::answer;
use crate::event::{AnswerInfo, ClientEvent, Observer};
use crate::facts::{Fact, Facts};
use crate::failure::{Failures, request_id};
use crate::lesson;
use crate::retry::{self, Attempt};
use crate::speech::Speech;
use crate::transport::{Header, Incoming, Outgoing, Transport};
use crate::{ClientBuilder, ClientError, Endpoint, Options, Vendor};

/// A provider over HTTP.
///
/// A request that is refused for now, or does not reach the provider, is sent again with growing waits; one that
/// is wrong is not. Nothing is sent again once content was handed out. Dropping the stream closes the
/// connection.
///
/// ```
/// use std::sync::Arc;
/// use windlass_client::{Client, Endpoint, HttpOptions, Options};
/// use windlass_wire_openai_chat::OpenAiChat;
///
/// let endpoint = Endpoint::custom("http://localhost:8080/v1", "openai-chat");
/// let client = Client::new(endpoint.clone(), None, Arc::new(OpenAiChat::default()), Options::default())?;
/// let through_a_proxy = Client::builder(endpoint, Arc::new(OpenAiChat::default()))
///     .http(HttpOptions::default().with_proxy("http://proxy.example:3128"))
///     .build()?;
/// # let _ = (client, through_a_proxy);
/// # Ok::<(), windlass_client::ClientError>(())
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) parts: Parts,
}

/// What a client is made of.
#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) speech: Speech,
    pub(crate) failures: Failures,
    pub(crate) options: Options,
    pub(crate) observer: Option<Observer>,
    pub(crate) facts: Arc<Facts>,
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
        Self::builder(endpoint, wire).key(key).options(options).build()
    }

    /// Begins a client with more than the defaults: proxy, own authorities, own transport, an observer.
    pub fn builder(endpoint: Endpoint, wire: Arc<dyn Wire>) -> ClientBuilder {
        ClientBuilder::new(endpoint, Speech::Wire(wire))
    }

    /// Begins a client for a vendor of the table: the wire format and its quirks follow from the vendor and from each
    /// request's model.
    ///
    /// ```
    /// use windlass_client::{Client, Vendors};
    /// let vendors = Vendors::builtin();
    /// let groq = vendors.get("groq").ok_or("not there")?;
    /// let client = Client::vendor(groq.clone()).key(Some("a key".into())).build()?;
    /// # let _ = client;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn vendor(vendor: Vendor) -> ClientBuilder {
        ClientBuilder::new(vendor.endpoint.clone(), Speech::Vendor(Arc::new(vendor)))
    }

    /// The endpoint that is spoken to.
    pub fn endpoint(&self) -> &Endpoint {
        &self.parts.failures.endpoint
    }

    pub(crate) fn of(parts: Parts) -> Self {
        Self { parts }
    }

    async fn answer(&self, request: &Request) -> Result<ChunkStream, ModelError> {
        let wire = self.wire(&request.model)?;
        let deadline = retry::after(Instant::now(), self.parts.options.total_timeout);
        let (response, attempts) = self.sent(wire.as_ref(), request, deadline).await?;
        let request_id = request_id(&response.headers);
        self.tell(|| {
            ClientEvent::Answer(AnswerInfo {
                provider: self.parts.failures.endpoint.name.clone(),
                model: request.model.clone(),
                status: response.status,
                request_id: request_id.clone(),
                attempts,
            })
        });
        let reading = self.reading(wire, request_id, deadline);
        if request.delivery == Delivery::Whole || is_json(&response) {
            return reading.whole(response).await;
        }
        Ok(reading.stream(response))
    }

    /// Says the request and sends it; again without a parameter that is refused by name, once for each (RULES L9).
    async fn sent(
        &self,
        wire: &dyn Wire,
        request: &Request,
        deadline: Instant,
    ) -> Result<(Incoming, usize), ModelError> {
        let Parts { speech, failures, facts, .. } = &self.parts;
        let provider = self.provider();
        let mut refused = facts.of(&provider, &request.model);
        let known = refused.len();
        let mut before = 0_usize;
        loop {
            let http = speech
                .encode(wire, request, &refused)
                .map_err(|error| failures.of(ModelErrorKind::Refused, &error.to_string()))?;
            let failed = match self.send_until(wire, &self.outgoing(http), request.delivery, deadline).await {
                Ok((response, attempts)) => {
                    // Only what helped is remembered.
                    refused
                        .split_off(known)
                        .into_iter()
                        .for_each(|fact| facts.learn(&provider, &request.model, fact));
                    return Ok((response, before.saturating_add(attempts)));
                }
                Err(failed) => failed,
            };
            before = before.saturating_add(1);
            match failed.lesson {
                Some(fact) if fact.remedy.is_none() => {
                    let error = without(failed.error, &fact);
                    facts.learn(&provider, &request.model, fact);
                    return Err(error);
                }
                Some(fact) if refused.iter().all(|held| held.parameter != fact.parameter) => {
                    self.tell(|| ClientEvent::Learned(fact.clone()));
                    refused.push(fact);
                }
                _ => return Err(failed.error),
            }
        }
    }

    pub(crate) fn wire(&self, model: &str) -> Result<Arc<dyn Wire>, ModelError> {
        let Parts { speech, failures, .. } = &self.parts;
        speech
            .wire(model)
            .ok_or_else(|| failures.of(ModelErrorKind::Configuration, "the wire format is not known"))
    }

    pub(crate) fn reading(
        &self,
        wire: Arc<dyn Wire>,
        request_id: Option<String>,
        deadline: Instant,
    ) -> answer::Reading {
        let Parts { failures, options, .. } = &self.parts;
        answer::Reading { wire, failures: failures.clone(), options: *options, request_id, deadline }
    }

    /// Sends, and sends again where that may help, until the answer's time would be over.
    pub(crate) async fn send_until(
        &self,
        wire: &dyn Wire,
        request: &Outgoing,
        delivery: Delivery,
        deadline: Instant,
    ) -> Result<(Incoming, usize), Attempt> {
        let mut waits = retry::waits(&self.parts.options);
        let mut attempts = 1_usize;
        loop {
            let failed = match self.send(wire, request.clone(), delivery, deadline).await {
                Ok(response) => return Ok((response, attempts)),
                Err(failed) => failed,
            };
            // The provider knows best how long to wait.
            let backoff = if failed.is_worth_another() { waits.next() } else { None };
            let Some(wait) = backoff.and_then(|backoff| failed.wait(backoff, deadline)) else {
                return Err(Attempt { error: given_up(failed.error, attempts), ..failed });
            };
            self.tell(|| ClientEvent::Retry { attempts, wait, message: failed.error.message.clone() });
            sleep(wait).await;
            attempts = attempts.saturating_add(1);
        }
    }

    /// Sends once and looks at the status.
    async fn send(
        &self,
        wire: &dyn Wire,
        request: Outgoing,
        delivery: Delivery,
        deadline: Instant,
    ) -> Result<Incoming, Attempt> {
        let Parts { transport, failures, options, .. } = &self.parts;
        let sent = request.body.clone();
        let idle_at = match delivery {
            Delivery::Stream => retry::after(Instant::now(), options.idle_timeout),
            // A whole answer begins when it is all made: until then nothing is what is to be expected.
            Delivery::Whole => deadline,
        };
        let response = timeout_at(idle_at.min(deadline), transport.send(request))
            .await
            .map_err(|_| {
                if idle_at < deadline {
                    answer::idle(failures, options.idle_timeout)
                } else {
                    answer::total(failures, options.total_timeout)
                }
            })?
            .map_err(|error| failures.transport(&error))?;
        if (200..300).contains(&response.status) {
            return Ok(response);
        }
        let Incoming { status, headers, body } = response;
        let until = retry::after(Instant::now(), options.idle_timeout).min(deadline);
        let body = failures.key.redact_bytes(answer::refusal_body(body, until).await);
        let refusal = wire.decode_error(status, &body);
        let lesson = lesson::lesson(status, &refusal, &body, &sent);
        let error = failures.refusal(status, &headers, &refusal);
        Err(Attempt { error, status: Some(status), lesson })
    }

    /// The request with its address and its headers.
    fn outgoing(&self, http: HttpRequest) -> Outgoing {
        let Failures { endpoint, key } = &self.parts.failures;
        let request = Outgoing::post(endpoint.url(&http.path), http.body);
        let own = http.headers.iter().map(|(name, value)| Header::new(name, value));
        own.chain(endpoint.all_headers(key.expose())).fold(request, Outgoing::with_header)
    }

    fn tell(&self, event: impl FnOnce() -> ClientEvent) {
        if let Some(observer) = &self.parts.observer {
            observer(&event());
        }
    }
}

impl Model for Client {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(self.answer(request))
    }

    fn check(&self, request: &Request) -> Vec<Refusal> {
        let Ok(wire) = self.wire(&request.model) else { return Vec::new() };
        let refused = self.parts.facts.of(&self.provider(), &request.model);
        wire.check(&self.parts.speech.said(request, &refused))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("endpoint", &self.parts.failures.endpoint.name).finish_non_exhaustive()
    }
}

/// The failure of a request for which an ability is missing, with what it means.
fn without(mut error: ModelError, fact: &Fact) -> ModelError {
    let (kind, advice) = match fact.parameter.as_str() {
        "tools" => (
            ModelErrorKind::Unsupported,
            "the model has no tool calls of its own: let it write calls as text, or take another",
        ),
        "images" => (error.kind, "the model sees no images: take another"),
        _ => (
            ModelErrorKind::Unsupported,
            "the model does not hold its answers to such a form: ask for the form in words, or take another",
        ),
    };
    error.kind = kind;
    error.message = format!("{} ({advice}; this is remembered)", error.message);
    error
}

fn given_up(mut error: ModelError, attempts: usize) -> ModelError {
    if attempts > 1 {
        error.message = format!("{} (given up after {attempts} attempts)", error.message);
    }
    error
}

/// Whether a server gave a whole body where a stream was asked for.
fn is_json(response: &Incoming) -> bool {
    let text = response.header("content-type").unwrap_or_default();
    text.trim_start().to_ascii_lowercase().starts_with("application/json")
}
