//! The waits between the attempts for one answer.

use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep, sleep_until};
use windlass_stream::ModelError;

use crate::event::ClientEvent;
use crate::retry::{Attempt, Tries};
use crate::{Client, Pace};

impl Client {
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
    pub(crate) async fn keep_pace(&self, model: &str, deadline: Instant) {
        if self.inner.options.pace == Pace::Ignored {
            return;
        }
        let until = self.rate_limits(model).and_then(|limits| limits.empty_until());
        if let Some(until) = until.filter(|until| *until < deadline) {
            self.notify(|| ClientEvent::Wait { wait: until.saturating_duration_since(Instant::now()) });
            sleep_until(until).await;
        }
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
