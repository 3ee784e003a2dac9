//! Sends requests, with retries where these may help.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep, sleep_until, timeout_at};
use windlass_protocol::Delivery;
use windlass_stream::{ChunkStream, ModelError};
use windlass_wire::{ProviderError, Wire};

use crate::begin::begun;
use crate::client::Parts;
use crate::event::{AnswerInfo, ClientEvent};
use crate::retry::{self, Attempt, Tries};
use crate::transport::{Incoming, Outgoing};
use crate::{Client, Pace, RateLimits, answer, failure, lesson};

/// Parameters that all attempts for one answer share.
#[derive(Clone, Copy)]
pub(crate) struct Turn<'a> {
    pub(crate) wire: &'a Arc<dyn Wire>,
    pub(crate) model: &'a str,
    pub(crate) delivery: Delivery,
    /// End of the total timeout.
    pub(crate) deadline: Instant,
}

impl Client {
    /// Sends a request until an answer starts with something other than an error, or the deadline passes.
    pub(crate) async fn begin_until(
        &self,
        turn: Turn<'_>,
        request: &Outgoing,
        tries: &mut Tries,
    ) -> Result<ChunkStream, Attempt> {
        loop {
            let response = self.send_until(turn, request, tries).await?;
            self.tell_answer(turn, &response, tries.attempts);
            match self.begin(turn, request, response).await {
                Ok(chunks) => return Ok(chunks),
                Err(failed) => self.pause(failed, tries, turn.deadline).await?,
            }
        }
    }

    /// Reads a response until its answer starts. An error in place of the answer counts as a refusal (RULES
    /// S12).
    async fn begin(
        &self,
        turn: Turn<'_>,
        request: &Outgoing,
        response: Incoming,
    ) -> Result<ChunkStream, Attempt> {
        let failures = &self.parts.failures;
        let (status, request_id) = (response.status, failures.request_id(&response.headers));
        let reading = self.reading(turn.wire.clone(), request_id.clone(), turn.deadline);
        let chunks = if turn.delivery == Delivery::Whole || is_json(&response) {
            reading.whole(response).await
        } else {
            begun(reading.stream(response), |error| failures.refused_in_stream(error)).await
        };
        chunks.map_err(|error| {
            let mut error = error.with_request_id(request_id);
            let refusal = error.source.as_ref().and_then(|source| source.downcast_ref::<ProviderError>());
            let lesson = refusal.and_then(|refusal| lesson::lesson_in_answer(refusal, &request.body));
            let kind = refusal.map(|refusal| failure::kind_for(error.kind, refusal, &request.body));
            error.kind = kind.unwrap_or(error.kind);
            Attempt { error, status: Some(status), lesson }
        })
    }

    fn tell_answer(&self, turn: Turn<'_>, response: &Incoming, attempts: usize) {
        self.tell(|| {
            ClientEvent::Answer(AnswerInfo {
                provider: self.parts.failures.endpoint.name.clone(),
                model: turn.model.to_owned(),
                status: response.status,
                request_id: self.parts.failures.request_id(&response.headers),
                attempts,
                rate_limits: self.rate_limits(turn.model),
            })
        });
    }

    /// Sends a request with retries, until a response has a success status or the deadline passes.
    pub(crate) async fn send_until(
        &self,
        turn: Turn<'_>,
        request: &Outgoing,
        tries: &mut Tries,
    ) -> Result<Incoming, Attempt> {
        loop {
            self.keep_pace(turn).await;
            tries.attempts = tries.attempts.saturating_add(1);
            match self.send(turn, request.clone()).await {
                Ok(response) => return Ok(response),
                Err(failed) => self.pause(failed, tries, turn.deadline).await?,
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
            return Err(Attempt { error: given_up(failed.error, tries.attempts, asked), ..failed });
        };
        let wait = if self.parts.options.pace == Pace::Ignored { Duration::ZERO } else { wait };
        let attempts = tries.attempts;
        self.tell(|| ClientEvent::Retry { attempts, wait, message: failed.error.message.clone() });
        sleep(wait).await;
        Ok(())
    }

    /// Waits for the reset of a rate limit that is known to be used up. If that is after the deadline, sends
    /// at once: the provider may count differently than its headers state.
    async fn keep_pace(&self, turn: Turn<'_>) {
        if self.parts.options.pace == Pace::Ignored {
            return;
        }
        let until = self.rate_limits(turn.model).and_then(|limits| limits.empty_until());
        if let Some(until) = until.filter(|until| *until < turn.deadline) {
            self.tell(|| ClientEvent::Wait { wait: until.saturating_duration_since(Instant::now()) });
            sleep_until(until).await;
        }
    }

    /// Sends a request once and checks the status.
    async fn send(&self, turn: Turn<'_>, request: Outgoing) -> Result<Incoming, Attempt> {
        let Turn { wire, model, delivery, deadline } = turn;
        let Parts { transport, failures, options, .. } = &self.parts;
        let sent = request.body.clone();
        let idle_at = match delivery {
            Delivery::Stream => retry::after(Instant::now(), options.idle_timeout),
            // A whole answer starts only when it is complete, so silence before is normal.
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
        if let Some(limits) = RateLimits::read(&response.headers) {
            // A `Retry-After` takes precedence over the reset time of a rate limit.
            let asked = failure::asked_wait(&response.headers);
            self.parts.paces.note(model, asked.map_or(limits.clone(), |wait| limits.empty_for(wait)));
        }
        if (200..300).contains(&response.status) {
            return Ok(response);
        }
        let Incoming { status, headers, body } = response;
        let until = retry::after(Instant::now(), options.idle_timeout).min(deadline);
        let body = failures.key.redact_bytes(answer::refusal_body(body, until).await);
        let refusal = failures.key.redact_error(wire.decode_error(status, &body));
        let lesson = lesson::lesson(status, &refusal, &body, &sent);
        let mut error = failures.refusal(status, &headers, refusal.clone());
        error.kind = failure::kind_for(error.kind, &refusal, &sent);
        Err(Attempt { error, status: Some(status), lesson })
    }
}

/// Returns the error of the last attempt, with the time at which the provider asks to retry, if any.
fn given_up(mut error: ModelError, attempts: usize, asked: Option<Duration>) -> ModelError {
    if attempts > 1 {
        error.message = format!("{} (given up after {attempts} attempts)", error.message);
    }
    let ready = asked.filter(|wait| !wait.is_zero()).and_then(|wait| {
        let wait = Duration::from_secs(wait.as_secs());
        Some((wait, SystemTime::now().checked_add(wait)?))
    });
    if let Some((wait, at)) = ready {
        let at = httpdate::fmt_http_date(at);
        error.message = format!("{} (the provider asks to wait {wait:?}, until {at})", error.message);
    }
    error
}

/// Returns true if a server sent a whole JSON body although a stream was requested.
fn is_json(response: &Incoming) -> bool {
    let text = response.header("content-type").unwrap_or_default();
    text.trim_start().to_ascii_lowercase().starts_with("application/json")
}
