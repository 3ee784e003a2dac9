//! Sends requests, with retries where these may help.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep, sleep_until, timeout_at};
use windlass_protocol::Delivery;
use windlass_stream::{ChunkStream, ModelError};
use windlass_vendors::{parse_rejection, parse_rejection_in_answer};
use windlass_wire::{ProviderError, Wire};

use crate::client::ClientInner;
use crate::event::{AnswerInfo, ClientEvent};
use crate::first_chunk::await_first_chunk;
use crate::response::{idle_timeout_error, read_refusal_body, total_timeout_error};
use crate::retry::{self, Attempt, Tries};
use crate::stored_document::now;
use crate::streamed_answer::StreamedAnswer;
use crate::transport::{TransportRequest, TransportResponse};
use crate::{Client, Pace, RateLimits, failure};

/// Parameters that all attempts for one answer share.
#[derive(Clone, Copy)]
pub(crate) struct AttemptContext<'a> {
    pub(crate) wire: &'a Arc<dyn Wire>,
    pub(crate) model: &'a str,
    pub(crate) delivery: Delivery,
    /// End of the total timeout.
    pub(crate) deadline: Instant,
}

impl Client {
    /// Sends a request until an answer starts with something other than an error, or the deadline passes.
    pub(crate) async fn send_until_first_chunk(
        &self,
        context: AttemptContext<'_>,
        request: &TransportRequest,
        tries: &mut Tries,
    ) -> Result<ChunkStream, Attempt> {
        loop {
            let response = self.send_until(context, request, tries).await?;
            self.notify_answer(context, &response, tries.attempts);
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

    fn notify_answer(&self, context: AttemptContext<'_>, response: &TransportResponse, attempts: usize) {
        self.notify(|| {
            ClientEvent::Answer(AnswerInfo {
                provider: self.inner.failures.endpoint.name.clone(),
                model: context.model.to_owned(),
                status: response.status,
                request_id: self.inner.failures.request_id(&response.headers),
                attempts,
                rate_limits: self.rate_limits(context.model),
            })
        });
    }

    /// Sends a request with retries, until a response has a success status or the deadline passes.
    pub(crate) async fn send_until(
        &self,
        context: AttemptContext<'_>,
        request: &TransportRequest,
        tries: &mut Tries,
    ) -> Result<TransportResponse, Attempt> {
        loop {
            self.keep_pace(context).await;
            tries.attempts = tries.attempts.saturating_add(1);
            match self.send(context, request.clone()).await {
                Ok(response) => return Ok(response),
                Err(failed) => self.pause(failed, tries, context.deadline).await?,
            }
        }
    }

    /// Waits before another attempt, or returns the failure if there must not be another attempt.
    pub(crate) async fn pause(
        &self,
        failed: Attempt,
        tries: &mut Tries,
        deadline: Instant,
    ) -> Result<(), Attempt> {
        let Some(wait) = tries.wait(&failed, deadline) else {
            let asked = failed.error.retry_after.filter(|_| failed.is_worth_another());
            return Err(Attempt { error: add_attempts(failed.error, tries.attempts, asked), ..failed });
        };
        let wait = if self.inner.options.pace == Pace::Ignored { Duration::ZERO } else { wait };
        let attempts = tries.attempts;
        self.notify(|| ClientEvent::Retry { attempts, wait, message: failed.error.message.clone() });
        sleep(wait).await;
        Ok(())
    }

    /// Waits for the reset of a rate limit that is known to be used up. If that is after the deadline, sends
    /// at once: the provider may count differently than its headers state.
    async fn keep_pace(&self, context: AttemptContext<'_>) {
        if self.inner.options.pace == Pace::Ignored {
            return;
        }
        let until = self.rate_limits(context.model).and_then(|limits| limits.empty_until());
        if let Some(until) = until.filter(|until| *until < context.deadline) {
            self.notify(|| ClientEvent::Wait { wait: until.saturating_duration_since(Instant::now()) });
            sleep_until(until).await;
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

/// Returns the error of the last attempt, with the time at which the provider asks to retry, if any.
fn add_attempts(mut error: ModelError, attempts: usize, asked: Option<Duration>) -> ModelError {
    if attempts > 1 {
        error.message = format!("{} (given up after {attempts} attempts)", error.message);
    }
    let ready = asked.filter(|wait| !wait.is_zero()).and_then(|wait| {
        let wait = Duration::from_secs(wait.as_secs());
        Some((wait, SystemTime::now().checked_add(wait)?))
    });
    if let Some((wait, at)) = ready {
        let at = httpdate::fmt_http_date(at);
        error.message = format!("{} (the provider requests to wait {wait:?}, until {at})", error.message);
    }
    error
}

/// Returns true if a server sent a whole JSON body although a stream was requested.
fn is_json(response: &TransportResponse) -> bool {
    let text = response.header("content-type").unwrap_or_default();
    text.trim_start().to_ascii_lowercase().starts_with("application/json")
}
