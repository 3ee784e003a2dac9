//! Calls that wait for a client to return with a human's answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, InputResponses};
use sha2::{Digest as _, Sha256};
use tokio::task::AbortHandle;

use crate::caller::{FormReply, PendingQuestion};
use crate::running::{Running, reply};

/// Maximum waiting time, equal to that of other questions to a human (RULES H12).
const PATIENCE: Duration = Duration::from_mins(5);

/// Maximum number of waiting calls.
const PLACES: usize = 64;

/// Key of the question in the client's request and response.
pub(crate) const QUESTION: &str = "question";

/// The waiting calls by a random name. The client gets only the name and cannot change the call.
#[derive(Clone, Default)]
pub(crate) struct ParkedCalls(Arc<Mutex<HashMap<String, Waiting>>>);

struct Waiting {
    running: Running,
    asked: PendingQuestion,
    /// Digest of the call's tool and arguments. The client must repeat the same call with its answer.
    called: [u8; 32],
    _leaves: Leaves,
}

/// The timer of a waiting call. Dropping it stops the timer.
struct Leaves(AbortHandle);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Error of parking or resuming a call.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotParked {
    #[error("no call waits for this answer: the answer is late or repeated, or belongs to another call")]
    Unknown,
    #[error("too many calls wait for answers")]
    Full,
    #[error("the operating system does not provide random bytes")]
    Random,
}

impl ParkedCalls {
    /// Parks a call, and returns the random name to resume it.
    pub(crate) fn keep(
        &self,
        request: &CallToolRequestParams,
        running: Running,
        asked: PendingQuestion,
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
        let entry =
            Waiting { running, asked, called: digest_call(request), _leaves: Leaves(leaves.abort_handle()) };
        waiting.insert(name.clone(), entry);
        Ok(name)
    }

    /// Takes a parked call out, and passes the client's answer to it. The name is used up even if the call
    /// differs.
    pub(crate) fn take(&self, request: &CallToolRequestParams, name: &str) -> Result<Running, NotParked> {
        let mut waiting = self.waiting();
        let is_same = waiting.get(name).is_some_and(|entry| entry.called == digest_call(request));
        let entry = waiting.remove(name).filter(|_| is_same).ok_or(NotParked::Unknown)?;
        drop(waiting);
        let _ = entry.asked.reply.send(parse_reply(request.input_responses.as_ref()));
        Ok(entry.running)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn parse_reply(responses: Option<&InputResponses>) -> FormReply {
    let given = responses.and_then(|responses| responses.get(QUESTION)).cloned();
    given.and_then(|value| serde_json::from_value(value).ok()).map_or(FormReply::Declined, reply)
}

fn digest_call(request: &CallToolRequestParams) -> [u8; 32] {
    let mut hash = Sha256::new();
    let arguments = request.arguments.as_ref().map(|arguments| serde_json::json!(arguments).to_string());
    for part in [request.name.as_bytes(), arguments.unwrap_or_default().as_bytes()] {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}
