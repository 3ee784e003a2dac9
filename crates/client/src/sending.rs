//! Sends requests: adapts them to the refusals of the provider, and repeats them where that may help.

mod adaptation;

use std::sync::Arc;

use tokio::time::{Instant, timeout_at};
use windlass_protocol::{Delivery, Prices, Refusal, Request};
use windlass_stream::{ChunkStream, FreeText, Model, ModelError, ModelErrorKind, ModelFacts, ModelFuture};
use windlass_vendors::{parse_rejection, parse_rejection_in_answer};
use windlass_wire::{ProviderError, Wire};

use self::adaptation::Adaptation;
use crate::client::ClientInner;
use crate::event::ClientEvent;
use crate::first_chunk::await_first_chunk;
use crate::missing_ability::explain_missing_ability;
use crate::response::{idle_timeout_error, read_refusal_body, total_timeout_error};
use crate::retry::{self, Attempt, Tries};
use crate::stored_document::now;
use crate::streamed_answer::StreamedAnswer;
use crate::transport::{TransportRequest, TransportResponse};
use crate::{Client, RateLimits, failure};

/// Parameters that all attempts for one answer share.
#[derive(Clone, Copy)]
pub(crate) struct AttemptContext<'a> {
    pub(crate) wire: &'a Arc<dyn Wire>,
    pub(crate) model: &'a str,
    pub(crate) delivery: Delivery,
    /// End of the total timeout.
    pub(crate) deadline: Instant,
}

impl Model for Client {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move { Ok(self.send_adapting(request).await?.0) })
    }

    fn check(&self, request: &Request) -> Vec<Refusal> {
        let rejections = self.inner.store.rejections(&self.provider(), &request.model);
        let prepared = self.inner.encoder.prepare(request, &rejections);
        let refused = self.inner.encoder.wire().check(&self.compile_schemas(&prepared).request);
        self.check_parts(request).into_iter().chain(refused).collect()
    }

    fn facts(&self, model: &str) -> Option<ModelFacts> {
        let capabilities = self.capabilities(model).capabilities();
        let facts = ModelFacts::new(capabilities).with_context_tokens(self.context_tokens(model));
        Some(facts.with_prices(Model::prices(self, model)))
    }

    fn prices(&self, model: &str) -> Option<Prices> {
        self.price(model).map(|price| price.prices)
    }
}

impl Client {
    /// Encodes and sends a request until an answer starts. Repeats it without a parameter that a refusal
    /// names, once for each parameter (RULES L9).
    pub(crate) async fn send_adapting(
        &self,
        request: &Request,
    ) -> Result<(ChunkStream, Vec<(String, String)>), ModelError> {
        let ClientInner { encoder, failures, store, memories, options, .. } = &self.inner;
        let deadline = retry::add_wait(Instant::now(), options.total_timeout);
        let context = AttemptContext {
            wire: encoder.wire(),
            model: &request.model,
            delivery: request.delivery,
            deadline,
        };
        let mut tries = Tries::new(options);
        let provider = self.provider();
        let mut adaptation = Adaptation::new(store.rejections(&provider, &request.model));
        loop {
            let rejections = adaptation.rejections();
            let prepared = encoder.prepare(request, rejections);
            let compiled = self.compile_schemas(&prepared);
            let free_text = FreeText::diff(&request.tools, &prepared.tools);
            let encoded = memories
                .with_memory(&compiled.request.messages, |memory| {
                    encoder.encode(&compiled.request, rejections, memory)
                })
                .map_err(|error| failures.model_error(ModelErrorKind::Refused, &error.to_string()))?;
            let http = self.add_address(encoded.http);
            let failed = match self.send_until_first_chunk(context, &http, &mut tries).await {
                Ok(chunks) => {
                    store.settle(&provider, &request.model, &http.body);
                    self.notify_option_loss(request, &prepared, encoded.losses);
                    // Store only the rejections of the request that succeeded.
                    for rejection in adaptation.into_learned() {
                        store.learn(&provider, &request.model, rejection);
                    }
                    return Ok((compiled.restorations.restore(chunks, free_text), tries.headers));
                }
                Err(failed) => failed,
            };
            match failed.rejection {
                Some(rejection) if rejection.remedy.is_none() => {
                    let error = explain_missing_ability(failed.error, &rejection);
                    store.suppose(&provider, &request.model, rejection);
                    return Err(error);
                }
                Some(rejection) if adaptation.adapt(&rejection) => {
                    self.notify(|| ClientEvent::Learned(rejection.clone()));
                }
                _ => return Err(failed.error),
            }
        }
    }

    /// Sends a request until an answer starts with something other than an error, or the deadline passes.
    pub(crate) async fn send_until_first_chunk(
        &self,
        context: AttemptContext<'_>,
        request: &TransportRequest,
        tries: &mut Tries,
    ) -> Result<ChunkStream, Attempt> {
        loop {
            let response = self.send_until(context, request, tries).await?;
            self.notify_answer(context.model, &response, tries.attempts);
            tries.headers.clone_from(&response.headers);
            match self.read_first_chunk(context, request, response).await {
                Ok(chunks) => return Ok(chunks),
                Err(failed) => self.pause(failed, tries, context.deadline).await?,
            }
        }
    }

    /// Reads a response until its answer starts. An error in place of the answer counts as a refusal (RULES
    /// S12).
    async fn read_first_chunk(
        &self,
        context: AttemptContext<'_>,
        request: &TransportRequest,
        response: TransportResponse,
    ) -> Result<ChunkStream, Attempt> {
        let failures = &self.inner.failures;
        let (status, request_id) = (response.status, failures.request_id(&response.headers));
        let decoder = self.response_decoder(context.wire.clone(), request_id.clone(), context.deadline);
        let chunks = if context.delivery == Delivery::Whole || is_json(&response) {
            decoder.decode_whole(response.body).await
        } else {
            await_first_chunk(StreamedAnswer::new(decoder, response.body).into_chunks(), |error| {
                failures.refusal_in_stream(error)
            })
            .await
        };
        chunks.map_err(|error| {
            let mut error = error.with_request_id(request_id);
            let refusal = error.source.as_ref().and_then(|source| source.downcast_ref::<ProviderError>());
            let rejection =
                refusal.and_then(|refusal| parse_rejection_in_answer(refusal, &request.body, now()));
            let kind = refusal.map(|refusal| failure::kind_for(error.kind, refusal, &request.body));
            error.kind = kind.unwrap_or(error.kind);
            Attempt { error, status: Some(status), rejection }
        })
    }

    /// Sends a request with retries, until a response has a success status or the deadline passes.
    pub(crate) async fn send_until(
        &self,
        context: AttemptContext<'_>,
        request: &TransportRequest,
        tries: &mut Tries,
    ) -> Result<TransportResponse, Attempt> {
        loop {
            self.keep_pace(context.model, context.deadline).await;
            tries.attempts = tries.attempts.saturating_add(1);
            match self.send(context, request.clone()).await {
                Ok(response) => return Ok(response),
                Err(failed) => self.pause(failed, tries, context.deadline).await?,
            }
        }
    }

    /// Sends a request once and checks the status.
    async fn send(
        &self,
        context: AttemptContext<'_>,
        request: TransportRequest,
    ) -> Result<TransportResponse, Attempt> {
        let AttemptContext { wire, model, delivery, deadline } = context;
        let ClientInner { transport, failures, options, .. } = &self.inner;
        let sent = request.body.clone();
        let idle_at = match delivery {
            Delivery::Stream => retry::add_wait(Instant::now(), options.idle_timeout),
            // A whole answer starts only when it is complete, so silence before is normal.
            Delivery::Whole => deadline,
        };
        let response = timeout_at(idle_at.min(deadline), transport.send(request))
            .await
            .map_err(|_| {
                if idle_at < deadline {
                    idle_timeout_error(failures, options.idle_timeout)
                } else {
                    total_timeout_error(failures, options.total_timeout)
                }
            })?
            .map_err(|error| failures.transport(&error))?;
        if let Some(limits) = RateLimits::read(&response.headers) {
            // A `Retry-After` takes precedence over the reset time of a rate limit.
            let asked = failure::parse_wait(&response.headers);
            self.inner.paces.note(model, asked.map_or(limits.clone(), |wait| limits.empty_for(wait)));
        }
        if (200..300).contains(&response.status) {
            return Ok(response);
        }
        let TransportResponse { status, headers, body } = response;
        let until = retry::add_wait(Instant::now(), options.idle_timeout).min(deadline);
        let body = failures.key.redact_bytes(read_refusal_body(body, until).await);
        let refusal = failures.key.redact_error(wire.decode_error(status, &body));
        let rejection = parse_rejection(status, &refusal, &body, &sent, now());
        let mut error = failures.refusal(status, &headers, refusal.clone());
        error.kind = failure::kind_for(error.kind, &refusal, &sent);
        Err(Attempt { error, status: Some(status), rejection })
    }
}

/// Returns true if a server sent a whole JSON body although a stream was requested.
fn is_json(response: &TransportResponse) -> bool {
    let text = response.header("content-type").unwrap_or_default();
    text.trim_start().to_ascii_lowercase().starts_with("application/json")
}
