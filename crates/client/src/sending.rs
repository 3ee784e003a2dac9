//! Sending a request: once, and again where that may help.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout_at};
use windlass_model::ModelError;
use windlass_protocol::Delivery;
use windlass_wire::Wire;

use crate::client::Parts;
use crate::event::ClientEvent;
use crate::retry::{self, Attempt, Tries};
use crate::transport::{Incoming, Outgoing};
use crate::{Client, Pace, RateLimits, answer, lesson};

/// What all attempts for one answer have in common.
#[derive(Clone, Copy)]
pub(crate) struct Turn<'a> {
    pub(crate) wire: &'a dyn Wire,
    pub(crate) model: &'a str,
    pub(crate) delivery: Delivery,
    /// When the answer has taken too long in all.
    pub(crate) deadline: Instant,
}

impl Client {
    /// Sends, and sends again where that may help, until the answer's time would be over.
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

    /// Waits before another attempt; gives the failure back if there is to be none.
    pub(crate) async fn pause(
        &self,
        failed: Attempt,
        tries: &mut Tries,
        deadline: Instant,
    ) -> Result<(), Attempt> {
        let Some(wait) = tries.wait(&failed, deadline) else {
            return Err(Attempt { error: given_up(failed.error, tries.attempts), ..failed });
        };
        let wait = if self.parts.options.pace == Pace::Ignored { Duration::ZERO } else { wait };
        let attempts = tries.attempts;
        self.tell(|| ClientEvent::Retry { attempts, wait, message: failed.error.message.clone() });
        sleep(wait).await;
        Ok(())
    }

    /// Waits until there is something left of what the provider allows. Where that would be too late, it is asked all
    /// the same: it may count otherwise than it said.
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

    /// Sends once and looks at the status.
    async fn send(&self, turn: Turn<'_>, request: Outgoing) -> Result<Incoming, Attempt> {
        let Turn { wire, model, delivery, deadline } = turn;
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
        if let Some(limits) = RateLimits::read(&response.headers) {
            self.parts.paces.note(model, limits);
        }
        if (200..300).contains(&response.status) {
            return Ok(response);
        }
        let Incoming { status, headers, body } = response;
        let until = retry::after(Instant::now(), options.idle_timeout).min(deadline);
        let body = failures.key.redact_bytes(answer::refusal_body(body, until).await);
        let refusal = failures.key.redact_error(wire.decode_error(status, &body));
        let lesson = lesson::lesson(status, &refusal, &body, &sent);
        let error = failures.refusal(status, &headers, refusal);
        Err(Attempt { error, status: Some(status), lesson })
    }
}

fn given_up(mut error: ModelError, attempts: usize) -> ModelError {
    if attempts > 1 {
        error.message = format!("{} (given up after {attempts} attempts)", error.message);
    }
    error
}
