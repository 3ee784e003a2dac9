//! Requests that wait for a client to return with a human's answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, GetPromptRequestParams, InputResponses, JsonObject};
use sha2::{Digest as _, Sha256};
use tokio::task::AbortHandle;

use crate::caller::{FormReply, PendingQuestion};
use crate::running::{Running, parse_reply};

/// Maximum waiting time, equal to that of other questions to a human (RULES H12).
const PATIENCE: Duration = Duration::from_mins(5);

/// Maximum number of waiting requests of one kind.
const PLACES: usize = 64;

/// Maximum number of times that a client gets the same question again because it returned without a reply.
const REPEATS: u8 = 3;

/// The parts of a request that a client repeats, with its answers.
pub(crate) struct RepeatedRequest<'a> {
    name: &'a str,
    arguments: Option<&'a JsonObject>,
    pub(crate) responses: Option<&'a InputResponses>,
    pub(crate) state: Option<&'a str>,
}

/// The waiting requests by a random name. The client gets only the name and cannot change the request.
pub(crate) struct ParkedRequests<T>(Arc<Mutex<HashMap<String, Waiting<T>>>>);

struct Waiting<T> {
    running: Running<T>,
    question: PendingQuestion,
    repeats: u8,
    /// Digest of the name and the arguments. The client must repeat the same request with its answer.
    digest: [u8; 32],
    _leaves: Leaves,
}

/// A request whose client returned.
pub(crate) struct ResumedRequest<T> {
    pub(crate) running: Running<T>,
    /// The question, if the client returned without a reply that can be read, with the number of its repetitions.
    pub(crate) unanswered: Option<(PendingQuestion, u8)>,
}

/// The timer of a waiting request. Dropping it stops the timer.
struct Leaves(AbortHandle);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Error of parking or resuming a request.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotParked {
    #[error(
        "no request waits for this answer: the answer is late or repeated, or belongs to another request"
    )]
    Unknown,
    #[error("too many requests wait for answers")]
    Full,
    #[error("the operating system does not provide random bytes")]
    Random,
}

impl<T: 'static> ParkedRequests<T> {
    /// Parks a request, and returns the random name to resume it. `repeats` counts how often its question was
    /// repeated.
    pub(crate) fn keep(
        &self,
        request: &RepeatedRequest<'_>,
        running: Running<T>,
        (question, repeats): (PendingQuestion, u8),
    ) -> Result<String, NotParked> {
        let mut random = [0_u8; 16];
        getrandom::fill(&mut random).map_err(|_| NotParked::Random)?;
        let name = format!("{:032x}", u128::from_be_bytes(random));
        let mut waiting = self.waiting();
        if waiting.len() >= PLACES {
            return Err(NotParked::Full);
        }
        let (parked, leaving) = (self.clone(), name.clone());
        let leaves = tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            drop(parked.waiting().remove(&leaving));
        });
        let leaves = Leaves(leaves.abort_handle());
        let entry = Waiting { running, question, repeats, digest: request.digest(), _leaves: leaves };
        waiting.insert(name.clone(), entry);
        Ok(name)
    }

    /// Takes a parked request out, and passes the client's answer to it. The name is used up even if the request
    /// differs.
    pub(crate) fn take(
        &self,
        request: &RepeatedRequest<'_>,
        name: &str,
    ) -> Result<ResumedRequest<T>, NotParked> {
        let mut waiting = self.waiting();
        let is_same = waiting.get(name).is_some_and(|entry| entry.digest == request.digest());
        let entry = waiting.remove(name).filter(|_| is_same).ok_or(NotParked::Unknown)?;
        drop(waiting);
        let Waiting { running, question, repeats, .. } = entry;
        let mut others = request.responses.cloned();
        others.as_mut().and_then(|others| others.remove(question.form.key()));
        let running = running.with_responses(others);
        let unanswered = match parse_reply(request.responses, question.form.key()) {
            None if repeats < REPEATS => Some((question, repeats.saturating_add(1))),
            reply => {
                let _ = question.reply.send(reply.unwrap_or(FormReply::Declined));
                None
            }
        };
        Ok(ResumedRequest { running, unanswered })
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<String, Waiting<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for ParkedRequests<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for ParkedRequests<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl RepeatedRequest<'_> {
    fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let arguments = self.arguments.map(|arguments| serde_json::json!(arguments).to_string());
        for part in [self.name.as_bytes(), arguments.unwrap_or_default().as_bytes()] {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }
}

impl<'a> From<&'a CallToolRequestParams> for RepeatedRequest<'a> {
    fn from(request: &'a CallToolRequestParams) -> Self {
        Self {
            name: &request.name,
            arguments: request.arguments.as_ref(),
            responses: request.input_responses.as_ref(),
            state: request.request_state.as_deref(),
        }
    }
}

impl<'a> From<&'a GetPromptRequestParams> for RepeatedRequest<'a> {
    fn from(request: &'a GetPromptRequestParams) -> Self {
        Self {
            name: &request.name,
            arguments: request.arguments.as_ref(),
            responses: request.input_responses.as_ref(),
            state: request.request_state.as_deref(),
        }
    }
}
